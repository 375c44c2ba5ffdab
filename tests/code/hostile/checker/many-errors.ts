// about: very many errors
// expect: refused

%%REPEAT(5000,"nothing();\n")%%return 1;
