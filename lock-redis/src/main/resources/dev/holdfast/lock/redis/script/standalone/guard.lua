-- Where a composite has left the record of a primary term, a standalone store grants nothing.
if term then
    return 'composite'
end
