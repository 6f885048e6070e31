// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme.h"

#include <QApplication>
#include <QPushButton>
#include <QRegularExpression>
#include <QTest>

#include <cmath>

using namespace kvscope;

class TestTheme : public QObject {
    Q_OBJECT

private slots:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support).*"))); }

    // Published pairs: WCAG's own extremes and the grey that just passes on white.
    void contrastIsWcags()
    {
        QVERIFY(std::abs(contrast(Qt::black, Qt::white) - 21) < 1e-9);
        QVERIFY(std::abs(contrast(Qt::red, Qt::red) - 1) < 1e-9);
        QVERIFY(std::abs(contrast(QColor(0x76, 0x76, 0x76), Qt::white) - 4.54) < 0.005);
    }

    void wordsAndLinesAreReadable_data()
    {
        QTest::addColumn<bool>("dark");
        QTest::newRow("light") << false;
        QTest::newRow("dark") << true;
    }
    void wordsAndLinesAreReadable()
    {
        QFETCH(bool, dark);
        const Theme &t = dark ? darkTheme() : lightTheme();
        QCOMPARE(t.dark, dark);
        const auto atLeast = [](double least, const QColor &ink, const QColor &paper, const char *what) {
            const double ratio = contrast(ink, paper);
            QVERIFY2(ratio >= least,
                     qPrintable(QStringLiteral("%1: %2 on %3 is %4").arg(QLatin1String(what), ink.name(), paper.name()).arg(ratio)));
        };
        for (const QColor &paper : {t.window, t.card, t.field, t.hover}) {
            atLeast(4.5, t.text, paper, "text");
            atLeast(4.5, t.muted, paper, "muted");
        }
        for (const QColor &paper : {t.window, t.card, t.chip})
            atLeast(4.5, t.accent, paper, "accent");
        atLeast(4.5, t.text, t.chip, "selection");
        atLeast(4.5, t.onAccent, t.accent, "on accent");
        atLeast(4.5, t.outOfMemory, t.card, "out of memory");
        atLeast(3, t.ghost, t.card, "ghost");
        for (const VerdictLook &verdict : t.verdicts) {
            atLeast(4.5, verdict.text, verdict.fill, "verdict on its fill");
            atLeast(4.5, verdict.text, t.card, "verdict on a card");
        }
        for (const SeriesLook &look : t.series) {
            atLeast(4.5, look.text, t.card, "series name");
            atLeast(3, look.line, t.card, "series line");
        }
        for (const PartLook &part : t.parts)
            atLeast(4.5, readableOn(part.fill), part.fill, "figure on a bar");
    }

    // Colour never carries meaning alone: dashes of lines and textures of parts differ too.
    void looksDifferWithoutColour()
    {
        for (const Theme *t : {&lightTheme(), &darkTheme()}) {
            for (int a = 0; a < seriesLookCount; ++a) {
                for (int b = a + 1; b < seriesLookCount; ++b)
                    QVERIFY(t->seriesLook(a).dashes != t->seriesLook(b).dashes);
            }
            for (int a = 0; a < partCount; ++a) {
                for (int b = a + 1; b < partCount; ++b)
                    QVERIFY(t->look(static_cast<Part>(a)).texture != t->look(static_cast<Part>(b)).texture);
            }
            QVERIFY(t->seriesLook(0).dashes.isEmpty());
            QCOMPARE(t->seriesLook(seriesLookCount + 1).line, t->seriesLook(1).line);
        }
    }

    void paletteTellsItsTheme()
    {
        QCOMPARE(&themeOf(paletteOf(lightTheme())), &lightTheme());
        QCOMPARE(&themeOf(paletteOf(darkTheme())), &darkTheme());
    }

    void switchesWhileRunning()
    {
        QPushButton button(QStringLiteral("x"));
        button.show();
        applyTheme(*qApp, ThemeChoice::Dark);
        QCOMPARE(&themeOf(button.palette()), &darkTheme());
        QVERIFY(qApp->styleSheet().contains(darkTheme().accent.name()));
        QVERIFY(!qApp->styleSheet().contains(u'%'));
        applyTheme(*qApp, ThemeChoice::Light);
        QCOMPARE(&themeOf(button.palette()), &lightTheme());
        // A parse error is a warning, and a warning fails the test.
        button.grab();
        applyTheme(*qApp, ThemeChoice::System);
        QCOMPARE(&themeOf(QApplication::palette()), &lightTheme());
    }
};

QTEST_MAIN(TestTheme)
#include "tst_theme.moc"
