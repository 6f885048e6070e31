// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/preferences.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

namespace kvscope {

Preferences::Preferences(const Settings &settings, const Prompts &prompts, QWidget *parent) :
    QDialog(parent),
    m_settings(settings),
    m_language(new QComboBox(this)),
    m_theme(new QComboBox(this)),
    m_unit(new QComboBox(this)),
    m_resume(new QCheckBox(tr("&Go on where the last session ended"), this)),
    m_catalogues(new QListWidget(this))
{
    setObjectName(QStringLiteral("preferencesDialog"));
    setWindowTitle(tr("Preferences"));
    m_language->setObjectName(QStringLiteral("languageBox"));
    m_language->addItem(tr("The system's"), QString());
    m_language->addItem(QStringLiteral("English"), QStringLiteral("en"));
    m_language->addItem(QStringLiteral("简体中文"), QStringLiteral("zh_CN"));
    m_language->setCurrentIndex(std::max(0, m_language->findData(settings.language)));
    m_theme->setObjectName(QStringLiteral("themeBox"));
    m_theme->addItems({tr("The system's"), tr("Light"), tr("Dark")});
    m_theme->setCurrentIndex(static_cast<int>(settings.theme));
    m_unit->setObjectName(QStringLiteral("unitBox"));
    m_unit->addItems({tr("GB (10⁹ bytes)"), tr("GiB (2³⁰ bytes)")});
    m_unit->setCurrentIndex(static_cast<int>(settings.unit));
    m_resume->setObjectName(QStringLiteral("resumeBox"));
    m_resume->setChecked(settings.resumeSession);
    m_catalogues->setObjectName(QStringLiteral("catalogueList"));
    m_catalogues->addItems(settings.userCatalogues);
    m_catalogues->setMinimumWidth(fontMetrics().averageCharWidth() * 48);
    m_catalogues->setMaximumHeight(fontMetrics().height() * 6);
    auto *add = new QPushButton(tr("&Add a file…"), this);
    add->setObjectName(QStringLiteral("addCatalogueButton"));
    add->setAutoDefault(false);
    auto *remove = new QPushButton(tr("&Remove"), this);
    remove->setObjectName(QStringLiteral("removeCatalogueButton"));
    remove->setAutoDefault(false);
    auto *note =
        new QLabel(tr("Catalogue files of your own are read at the next start; an entry with a known identifier replaces it."), this);
    note->setProperty("role", QStringLiteral("muted"));
    note->setWordWrap(true);

    auto *form = new QFormLayout;
    form->addRow(tr("&Language"), m_language);
    form->addRow(tr("&Theme"), m_theme);
    form->addRow(tr("&Unit"), m_unit);
    form->addRow(m_resume);
    auto *catalogueLabel = new QLabel(tr("&Catalogue files of your own"), this);
    catalogueLabel->setBuddy(m_catalogues);
    auto *buttons = new QHBoxLayout;
    buttons->addWidget(add);
    buttons->addWidget(remove);
    buttons->addStretch();
    auto *box = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    auto *layout = new QVBoxLayout(this);
    layout->addLayout(form);
    layout->addWidget(catalogueLabel);
    layout->addWidget(m_catalogues);
    layout->addLayout(buttons);
    layout->addWidget(note);
    layout->addWidget(box);

    connect(add, &QPushButton::clicked, this, [this, &prompts] {
        prompts.openFile(this, tr("A catalogue file of your own"), m_settings.lastFolder, tr("JSON (*.json)"), [this](const QString &path) {
            if (m_catalogues->findItems(path, Qt::MatchExactly).isEmpty())
                m_catalogues->addItem(path);
        });
    });
    connect(remove, &QPushButton::clicked, this, [this] { delete m_catalogues->takeItem(m_catalogues->currentRow()); });
    connect(box, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(box, &QDialogButtonBox::accepted, this, &Preferences::give);
}

void Preferences::give()
{
    m_settings.language = m_language->currentData().toString();
    m_settings.theme = static_cast<ThemeChoice>(m_theme->currentIndex());
    m_settings.unit = static_cast<text::Unit>(m_unit->currentIndex());
    m_settings.resumeSession = m_resume->isChecked();
    m_settings.userCatalogues.clear();
    for (int row = 0; row < m_catalogues->count(); ++row)
        m_settings.userCatalogues += m_catalogues->item(row)->text();
    emit chosen(m_settings);
    accept();
}

} // namespace kvscope
