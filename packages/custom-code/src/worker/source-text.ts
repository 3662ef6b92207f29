import type { AnyNode } from 'acorn'

/** Visits every node below one, itself first. Not by recursion: what is nested deeply would end the process. */
export function eachNode(root: AnyNode, visit: (node: AnyNode) => void): void {
  const waiting: AnyNode[] = [root]
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    visit(node)
    const children = Object.values(node).flatMap((value: unknown) => (Array.isArray(value) ? value : [value]))
    for (const child of children.reverse()) if (isNode(child)) waiting.push(child)
  }
}

const isNode = (value: unknown): value is AnyNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

/** Changes of a text, each at its place in the original. */
export class Edits {
  readonly #text: string
  readonly #edits: { start: number; end: number; text: string }[] = []

  constructor(text: string) {
    this.#text = text
  }

  replace(start: number, end: number, text: string): void {
    this.#edits.push({ start, end, text })
  }

  insert(at: number, text: string): void {
    this.replace(at, at, text)
  }

  /** Leaves the lines and columns of what follows as they were. */
  blank(start: number, end: number): void {
    this.replace(start, end, this.#text.slice(start, end).replace(/[^\n]/g, ' '))
  }

  result(): string {
    if (this.#edits.length === 0) return this.#text
    let from = 0
    let result = ''
    for (const { start, end, text } of this.#edits.sort((a, b) => a.start - b.start)) {
      result += this.#text.slice(from, start) + text
      from = end
    }
    return result + this.#text.slice(from)
  }
}
