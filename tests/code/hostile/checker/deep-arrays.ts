// about: brackets within brackets
// expect: contained

const x: any = %%REPEAT(60000,"[")%%%%REPEAT(60000,"]")%%;
return 1;
