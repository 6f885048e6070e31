// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/prompts.h"

#include <QCoreApplication>
#include <QFileDialog>
#include <QMessageBox>

namespace kvscope {

namespace {

void showFileDialog(QFileDialog *dialog, Prompts::Path then)
{
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowModality(Qt::WindowModal);
    QObject::connect(dialog, &QFileDialog::fileSelected, dialog, [then = std::move(then)](const QString &path) { then(path); });
    dialog->open();
}

void openFileDialog(QWidget *parent, const QString &title, const QString &folder, const QString &filter, Prompts::Path then)
{
    auto *dialog = new QFileDialog(parent, title, folder, filter);
    dialog->setFileMode(QFileDialog::ExistingFile);
    showFileDialog(dialog, std::move(then));
}

void openFolderDialog(QWidget *parent, const QString &title, const QString &folder, Prompts::Path then)
{
    auto *dialog = new QFileDialog(parent, title, folder);
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    showFileDialog(dialog, std::move(then));
}

void saveFileDialog(QWidget *parent, const QString &title, const QString &suggested, const QString &filter, Prompts::Path then)
{
    auto *dialog = new QFileDialog(parent, title, suggested, filter);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setFileMode(QFileDialog::AnyFile);
    dialog->selectFile(suggested);
    showFileDialog(dialog, std::move(then));
}

void askSaveBox(QWidget *parent, const QString &file, std::function<void(SaveAnswer)> then)
{
    auto *box = new QMessageBox(QMessageBox::Question, QCoreApplication::applicationName(),
                                QCoreApplication::translate("kvscope::Prompts", "Save the changes to %1?").arg(file),
                                QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, parent);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setWindowModality(Qt::WindowModal);
    QObject::connect(box, &QMessageBox::finished, box, [then = std::move(then)](int button) {
        then(button == QMessageBox::Save ? SaveAnswer::Save : button == QMessageBox::Discard ? SaveAnswer::Discard : SaveAnswer::Cancel);
    });
    box->open();
}

} // namespace

Prompts Prompts::dialogs() { return {openFileDialog, saveFileDialog, openFolderDialog, askSaveBox}; }

} // namespace kvscope
