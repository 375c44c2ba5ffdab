/** The functions that every snippet of this folder may call. */
type Shelf = { name: string; books: Book[]; inner: Shelf[] };
type Book = { isbn: string; title: string; pages: number; author?: string; lent: string | null };
declare function findBook(args: { isbn: string }): Promise<Book | null>;
declare function listBooks(args: { shelf?: string; limit?: number; order?: "title" | "pages" }): Promise<{ books: Book[]; more: boolean }>;
declare function shelfTree(args: {}): Promise<Shelf>;
declare function remind(args: { member: string; days: number; channel: "mail" | "letter" }): Promise<{ sent: true; at: string } | { sent: false; reason: string }>;
declare function raw(args: { query: string }): Promise<any>;
declare function opaque(args: { key: string }): Promise<{ value: unknown }>;
declare namespace trips {
  function route(args: { from: string; to: string; via?: string[] }): Promise<{ legs: [string, string, number][]; total: number }>;
  function events(args: { trip: number }): Promise<({ kind: "stop"; place: string } | { kind: "delay"; minutes: number } | { kind: "end" })[]>;
  function prices(args: { classes: (1 | 2)[] }): Promise<Record<string, number>>;
  function note(args: { trip: number; text: string; meta?: { tags?: string[]; urgent?: boolean } }): Promise<null>;
}
