-- Lets nothing be done here unless the reign has its draft here, and can still come to power.

-- include reign/ascent.lua

if drafted ~= epoch then
    return deposed('the draft of the reign is gone: what was written under it may be lost')
end
