// SPDX-License-Identifier: GPL-3.0-or-later
// Fields that read quantities, sliders that stop at round values, and the section over the load.
#include "ui/powerslider.h"
#include "ui/quantityfield.h"

#include <QRegularExpression>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

using namespace kvscope;

namespace {

const std::vector<std::int64_t> powers{512, 1024, 2048, 4096, 8192, 16384, 32768};

void turnWheel(QWidget &widget, int notches, Qt::KeyboardModifiers modifiers = {})
{
    const QPointF at = widget.rect().center();
    QWheelEvent event(at, widget.mapToGlobal(at), {}, QPoint(0, 120 * notches), Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
    QApplication::sendEvent(&widget, &event);
}

void typeInto(QuantityField &field, const QString &text)
{
    field.selectAll();
    QTest::keyClicks(&field, text);
    QTest::keyClick(&field, Qt::Key_Return);
}

} // namespace

class TestInputs : public QObject {
    Q_OBJECT

private slots:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support).*"))); }

    void fieldReads_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<QString>("typed");
        QTest::addColumn<qint64>("value");
        const int tokens = static_cast<int>(QuantityField::Kind::Tokens), bytes = static_cast<int>(QuantityField::Kind::Bytes);
        const int count = static_cast<int>(QuantityField::Kind::Count), parameters = static_cast<int>(QuantityField::Kind::Parameters);
        QTest::newRow("32k") << tokens << QStringLiteral("32k") << qint64{32768};
        QTest::newRow("32768") << tokens << QStringLiteral("32768") << qint64{32768};
        QTest::newRow("32,768") << tokens << QStringLiteral("32,768") << qint64{32768};
        QTest::newRow("1M") << tokens << QStringLiteral("1M") << qint64{1'048'576};
        QTest::newRow("24GB") << bytes << QStringLiteral("24GB") << qint64{24'000'000'000};
        QTest::newRow("22.5 GiB") << bytes << QStringLiteral("22.5 GiB") << qint64{24'159'191'040};
        QTest::newRow("digits in the unit shown") << bytes << QStringLiteral("16") << qint64{16'000'000'000};
        QTest::newRow("count") << count << QStringLiteral("12") << qint64{12};
        QTest::newRow("8.03B") << parameters << QStringLiteral("8.03B") << qint64{8'030'000'000};
        QTest::newRow("70 B") << parameters << QStringLiteral("70 B") << qint64{70'000'000'000};
    }
    void fieldReads()
    {
        QFETCH(int, kind);
        QFETCH(QString, typed);
        QFETCH(qint64, value);
        QuantityField field(static_cast<QuantityField::Kind>(kind));
        QSignalSpy edited(&field, &QuantityField::edited);
        typeInto(field, typed);
        QCOMPARE(edited.count(), 1);
        QCOMPARE(qint64{field.quantity().value()}, value);
        // What is shown reads as the same value again.
        const QString shown = field.text();
        typeInto(field, shown);
        QVERIFY(field.complaint().isEmpty());
    }

    void fieldRefuses_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<QString>("typed");
        const int tokens = static_cast<int>(QuantityField::Kind::Tokens), bytes = static_cast<int>(QuantityField::Kind::Bytes);
        QTest::newRow("24 G B") << bytes << QStringLiteral("24 G B");
        QTest::newRow("words") << bytes << QStringLiteral("lots");
        QTest::newRow("negative") << tokens << QStringLiteral("-5");
        QTest::newRow("zero") << tokens << QStringLiteral("0");
        QTest::newRow("nan") << tokens << QStringLiteral("nan");
        QTest::newRow("beyond all") << tokens << QStringLiteral("99999999999999999999");
        QTest::newRow("empty") << tokens << QStringLiteral(" ");
    }
    void fieldRefuses()
    {
        QFETCH(int, kind);
        QFETCH(QString, typed);
        QuantityField field(static_cast<QuantityField::Kind>(kind));
        field.setRange(1, 1'000'000'000);
        field.setQuantity(777);
        QSignalSpy edited(&field, &QuantityField::edited);
        typeInto(field, typed);
        QCOMPARE(edited.count(), 0);
        QCOMPARE(qint64{field.quantity().value()}, qint64{777});
        QVERIFY(!field.complaint().isEmpty());
        QVERIFY2(!field.complaint().contains(QLatin1Char('\n')), "one line");
        QTest::keyClick(&field, Qt::Key_Escape);
        QVERIFY(field.complaint().isEmpty());
    }

    void optionalFieldCanBeEmpty()
    {
        QuantityField field(QuantityField::Kind::Bytes);
        field.setOptional(QStringLiteral("not set"));
        field.setQuantity(5);
        QSignalSpy edited(&field, &QuantityField::edited);
        field.selectAll();
        QTest::keyClick(&field, Qt::Key_Delete);
        QTest::keyClick(&field, Qt::Key_Return);
        QCOMPARE(edited.count(), 1);
        QVERIFY(!field.quantity());
    }

    void typingIsNotOverwritten()
    {
        QuantityField field(QuantityField::Kind::Tokens);
        field.setQuantity(4096);
        field.show();
        field.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&field));
        field.setFocus();
        field.selectAll();
        QTest::keyClicks(&field, QStringLiteral("12"));
        field.setQuantity(8192);
        QCOMPARE(field.text(), QStringLiteral("12"));
    }

    void arrowKeysMoveToStops()
    {
        PowerSlider slider(PowerSlider::Spacing::Logarithmic);
        slider.setStops(powers);
        slider.setQuantity(5000); // between two stops
        QTest::keyClick(&slider, Qt::Key_Right);
        QCOMPARE(qint64{slider.quantity()}, qint64{8192});
        QTest::keyClick(&slider, Qt::Key_Left);
        QCOMPARE(qint64{slider.quantity()}, qint64{4096});
        QTest::keyClick(&slider, Qt::Key_Home);
        QCOMPARE(qint64{slider.quantity()}, qint64{512});
        QTest::keyClick(&slider, Qt::Key_Left);
        QCOMPARE(qint64{slider.quantity()}, qint64{512});
        QTest::keyClick(&slider, Qt::Key_End);
        QCOMPARE(qint64{slider.quantity()}, qint64{32768});
        QTest::keyClick(&slider, Qt::Key_Right);
        QCOMPARE(qint64{slider.quantity()}, qint64{32768});
    }

    void shiftMovesFinely()
    {
        PowerSlider slider(PowerSlider::Spacing::Logarithmic);
        slider.setStops(powers);
        slider.setQuantity(8192);
        QTest::keyClick(&slider, Qt::Key_Right, Qt::ShiftModifier);
        QCOMPARE(qint64{slider.quantity()}, qint64{8192 + 128}); // 1/64 of the power of two
        slider.setStops({4'000'000'000, 24'000'000'000}, 100'000'000);
        slider.setQuantity(16'000'000'000);
        QTest::keyClick(&slider, Qt::Key_Left, Qt::ShiftModifier);
        QCOMPARE(qint64{slider.quantity()}, qint64{15'900'000'000});
    }

    void theWheelIsForTheSliderOnlyWhereItIsMeant()
    {
        PowerSlider slider(PowerSlider::Spacing::Logarithmic);
        slider.setStops(powers);
        slider.setQuantity(4096);
        slider.resize(300, slider.sizeHint().height());
        slider.show();
        turnWheel(slider, 1); // the page is being scrolled and passes under the pointer
        QCOMPARE(qint64{slider.quantity()}, qint64{4096});
        QTest::mouseMove(&slider, QPoint(20, 5));
        QTest::mouseMove(&slider, QPoint(40, 5));
        turnWheel(slider, 1);
        QCOMPARE(qint64{slider.quantity()}, qint64{8192});
        turnWheel(slider, -2);
        QCOMPARE(qint64{slider.quantity()}, qint64{2048});
        turnWheel(slider, 1, Qt::ShiftModifier);
        QCOMPARE(qint64{slider.quantity()}, qint64{2048 + 32});
    }

    void aDragFollowsAndEndsOnce()
    {
        PowerSlider slider(PowerSlider::Spacing::Logarithmic);
        slider.setStops(powers);
        slider.setQuantity(512);
        slider.resize(400, slider.sizeHint().height());
        slider.show();
        QSignalSpy moved(&slider, &PowerSlider::moved);
        QSignalSpy ended(&slider, &PowerSlider::gestureEnded);
        QTest::mousePress(&slider, Qt::LeftButton, {}, QPoint(8, 11));
        QCOMPARE(moved.count(), 0); // a press on the handle changes nothing
        for (int x = 10; x <= 392; x += 2)
            QTest::mouseMove(&slider, QPoint(x, 11));
        QCOMPARE(ended.count(), 0);
        QTest::mouseRelease(&slider, Qt::LeftButton, {}, QPoint(392, 11));
        QCOMPARE(ended.count(), 1);
        QCOMPARE(qint64{slider.quantity()}, qint64{32768});
        qint64 last = 0;
        bool stopped = false;
        for (const auto &signal : moved) {
            QVERIFY(signal.front().toLongLong() > last);
            last = signal.front().toLongLong();
            stopped = stopped || last == 4096;
        }
        QVERIFY2(stopped, "passes the round value itself");
    }

    void theQuantityIsExact()
    {
        PowerSlider slider(PowerSlider::Spacing::Logarithmic);
        slider.setStops(powers);
        for (const std::int64_t value : {513, 777, 1025, 31'999}) {
            slider.setQuantity(value);
            QCOMPARE(qint64{slider.quantity()}, qint64{value});
        }
    }

    void evenSliderHasStopsAlone()
    {
        PowerSlider slider(PowerSlider::Spacing::Even);
        slider.setStops({0, 1, 2, 3});
        slider.resize(300, slider.sizeHint().height());
        slider.setQuantity(0);
        slider.show();
        QTest::mouseClick(&slider, Qt::LeftButton, {}, QPoint(190, 11)); // nearest of 8, 103, 197, 292
        QCOMPARE(qint64{slider.quantity()}, qint64{2});
        QTest::keyClick(&slider, Qt::Key_Right, Qt::ShiftModifier);
        QCOMPARE(qint64{slider.quantity()}, qint64{3});
    }
};

QTEST_MAIN(TestInputs)
#include "tst_inputs.moc"
