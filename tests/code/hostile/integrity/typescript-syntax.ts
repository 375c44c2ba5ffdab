// about: syntax that needs new code
// expect: ok
// value: {"value":32,"names":{"Small":"box"},"generic":5}

enum Size { Small = 1, Large = Small << 3 }
abstract class Base { constructor(protected readonly size: Size, public label = 'box') {} abstract area(): number; }
class Box extends Base { #side = 2; override area(): number { return this.#side ** 2 * this.size; } }
const box = new Box(Size.Large);
const names = { [Size[Size.Small] as string]: box.label } satisfies Record<string, string>;
const value = <number>(<unknown>box.area());
return { value, names, generic: ((<T,>(x: T): T => x)(5))! };
