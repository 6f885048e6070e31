// SPDX-License-Identifier: GPL-3.0-or-later
// A window with nothing in it, gone after its first paint: what a window costs by itself.
#include <QApplication>
#include <QMainWindow>
#include <QTimer>

#include <cstdlib>

namespace {

class BlankWindow : public QMainWindow {
protected:
    void paintEvent(QPaintEvent *event) override
    {
        QMainWindow::paintEvent(event);
        QTimer::singleShot(0, qApp, [] { std::_Exit(0); });
    }
};

} // namespace

int main(int argc, char **argv)
{
    QApplication application(argc, argv);
    BlankWindow window;
    window.resize(1280, 720);
    window.show();
    return QApplication::exec();
}
