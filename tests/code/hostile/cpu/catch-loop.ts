// about: catch the interruption
// expect: error

for (;;) { try { for (;;) { /* spin */ } } catch { /* again */ } }
