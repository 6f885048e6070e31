<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>chartexport</name>
    <message numerus="yes">
        <source>%n sequence(s)</source>
        <translation>
            <numerusform>%n sequence</numerusform>
            <numerusform>%n sequences</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kvscope::BoundaryChart</name>
    <message numerus="yes">
        <source>%n sequence(s)</source>
        <translation>
            <numerusform>%n sequence</numerusform>
            <numerusform>%n sequences</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>now: %n sequence(s)</source>
        <translation>
            <numerusform>now: %n sequence</numerusform>
            <numerusform>now: %n sequences</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kvscope::DevicePicker</name>
    <message numerus="yes">
        <source>Search %n GPUs by name or maker</source>
        <translation>
            <numerusform>Search %n GPU by name or maker</numerusform>
            <numerusform>Search %n GPUs by name or maker</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kvscope::GrowthChart</name>
    <message numerus="yes">
        <source>memory of the fullest GPU over context, %n sequence(s)</source>
        <translation>
            <numerusform>memory of the fullest GPU over context, %n sequence</numerusform>
            <numerusform>memory of the fullest GPU over context, %n sequences</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 and %n more</source>
        <comment>name of a GPU</comment>
        <translation>
            <numerusform>%1 and %n more</numerusform>
            <numerusform>%1 and %n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kvscope::ModelPicker</name>
    <message numerus="yes">
        <source>Search %n models by name, maker or identifier</source>
        <translation>
            <numerusform>Search %n model by name, maker or identifier</numerusform>
            <numerusform>Search %n models by name, maker or identifier</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>text</name>
    <message numerus="yes">
        <source>%n machine(s)</source>
        <translation>
            <numerusform>%n machine</numerusform>
            <numerusform>%n machines</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n layer(s)</source>
        <translation>
            <numerusform>%n layer</numerusform>
            <numerusform>%n layers</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n with a KV cache</source>
        <comment>layers</comment>
        <translation>
            <numerusform>%n with a KV cache</numerusform>
            <numerusform>%n with a KV cache</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n KV head(s), one for each attention head</source>
        <translation>
            <numerusform>%n KV head, one for each attention head</numerusform>
            <numerusform>%n KV heads, one for each attention head</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n KV head(s) of %1</source>
        <comment>KV heads of so many attention heads</comment>
        <translation>
            <numerusform>%n KV head of %1</numerusform>
            <numerusform>%n KV heads of %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1, within %2 % in %n run(s)</source>
        <comment>confidence</comment>
        <translation>
            <numerusform>%1, within %2 % in %n run</numerusform>
            <numerusform>%1, within %2 % in %n runs</numerusform>
        </translation>
    </message>
</context>
</TS>
