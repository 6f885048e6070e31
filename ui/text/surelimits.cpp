// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/text/surelimits.h"

#include "ui/text/text.h"
#include "ui/text/words.h"

namespace kvscope::text {

QString sureContext(const Limits &limits)
{
    if (isUnlimited(limits.contextReason) || limits.maxContextSure >= limits.maxContext)
        return {};
    return limits.maxContextSure.value > 0 ? Words::tr("surely up to %1 tokens").arg(tokens(limits.maxContextSure))
                                           : Words::tr("surely none");
}

QString sureBatch(const Limits &limits)
{
    if (isUnlimited(limits.batchReason) || limits.maxBatchSure >= limits.maxBatch)
        return {};
    return limits.maxBatchSure > 0 ? Words::tr("surely up to %1 sequences").arg(count(limits.maxBatchSure)) : Words::tr("surely none");
}

} // namespace kvscope::text
