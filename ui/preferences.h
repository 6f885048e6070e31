// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/prompts.h"
#include "ui/settings.h"

#include <QDialog>

class QCheckBox;
class QComboBox;
class QListWidget;

namespace kvscope {

/// What the user prefers; takes effect at once on OK.
class Preferences : public QDialog {
    Q_OBJECT

public:
    Preferences(const Settings &settings, const Prompts &prompts, QWidget *parent = nullptr);

signals:
    void chosen(const kvscope::Settings &settings);

private:
    void give();

    Settings m_settings;
    QComboBox *m_language, *m_theme, *m_unit;
    QCheckBox *m_resume;
    QListWidget *m_catalogues;
};

} // namespace kvscope
