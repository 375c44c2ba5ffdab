// about: templates within templates
// expect: contained

const s: any = %%REPEAT(3000,"`${")%%1%%REPEAT(3000,"}`")%%;
return s;
