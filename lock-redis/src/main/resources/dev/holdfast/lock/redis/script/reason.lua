-- An error without the position in the script, which version 6 puts before it.
local function reason(text)
    return (string.gsub(string.match(text, '^@user_script: ?%d+: %-?(.*)$') or text, '%s+$', ''))
end
