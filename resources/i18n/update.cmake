# SPDX-License-Identifier: GPL-3.0-or-later
# Brings the .ts files in FOLDER up to date with the strings of SOURCE.

set(common -silent -no-obsolete -locations none -source-language en -I ${SOURCE} ${SOURCE}/ui ${SOURCE}/app)
execute_process(COMMAND ${LUPDATE} ${common} -target-language zh_CN -ts ${FOLDER}/kvscope_zh_CN.ts COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${LUPDATE} ${common} -target-language en -pluralonly -ts ${FOLDER}/kvscope_en.ts COMMAND_ERROR_IS_FATAL ANY)
