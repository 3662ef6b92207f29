/** What of Pyodide holds state. Its file system is one of JavaScript; all else of Python is in the memory. */
export interface StatefulPyodide {
  readonly FS: FileSystem
  readonly _module: {
    readonly HEAPU8: Uint8Array
    /** The value of JavaScript that Python knows by this number. Throws where there is none. */
    __hiwire_get(index: number): unknown
    /** Below 0 where it can't be set. */
    __hiwire_set(index: number, value: unknown): number
  }
}

interface FileSystem {
  ignorePermissions: boolean
  currentPath: string
  readonly streams: unknown[]
  readdir(path: string): string[]
  lookupPath(path: string, options: { follow: false }): { readonly node: FileNode }
  isDir(mode: number): boolean
  rmdir(path: string): void
  unlink(path: string): void
}

interface FileNode {
  readonly mount: unknown
  mode: number
  contents: unknown
  /** When it was last written to, whatever a program says of that. */
  ctime: number
}

type SavedNode = Pick<FileNode, 'mode' | 'contents' | 'ctime'> & { readonly node: FileNode }

/** So many numbers of nothing behind one another are the last. */
const GAP = 32

/**
 * Python as it is when it has started and has run nothing of anybody: its memory, what it knows of JavaScript, its
 * files, and what hangs on the objects that functions reach. Each call begins with it.
 */
export class PythonState {
  readonly #python: StatefulPyodide
  readonly #memory: Uint8Array
  readonly #keys: readonly [index: number, value: unknown][]
  readonly #numbers: Map<unknown, unknown>
  readonly #numbered: readonly [value: unknown, number: unknown][]
  readonly #files = new Map<string, SavedNode>()
  readonly #streams: readonly unknown[]
  readonly #path: string
  readonly #objects: readonly [object: object, properties: PropertyDescriptorMap][]

  /** `numbers`: of values that Python knows once only; `objects`: on which functions may set properties. */
  constructor(python: StatefulPyodide, numbers: Map<unknown, unknown>, objects: readonly object[]) {
    const { FS, _module: module } = python
    this.#python = python
    // What has never been used is 0, and need not be kept.
    const words = new Int32Array(module.HEAPU8.buffer)
    let used = words.length
    while (used > 0 && words[used - 1] === 0) used -= 1
    this.#memory = module.HEAPU8.slice(0, used * words.BYTES_PER_ELEMENT)
    this.#keys = keysOf(module)
    this.#numbers = numbers
    this.#numbered = [...numbers]
    this.#streams = [...FS.streams]
    this.#path = FS.currentPath
    for (const [path, node] of this.#nodes('/')) {
      const { mode, contents, ctime } = node
      this.#files.set(path, { node, mode, contents, ctime })
    }
    this.#objects = objects.map((object) => [object, Object.getOwnPropertyDescriptors(object)])
  }

  /** To be called when nothing of Python runs. Throws where something is gone that can't be made again. */
  restore(): void {
    const { _module: module } = this.#python
    module.HEAPU8.set(this.#memory)
    module.HEAPU8.fill(0, this.#memory.length)
    for (const [index, value] of this.#keys)
      if (module.__hiwire_set(index, value) < 0) throw new Error('A value of JavaScript is lost.')
    this.#numbers.clear()
    for (const [value, number] of this.#numbered) this.#numbers.set(value, number)
    this.#restoreFiles()
    for (const [object, properties] of this.#objects) restoreProperties(object, properties)
  }

  #restoreFiles(): void {
    const { FS } = this.#python
    const { ignorePermissions } = FS
    FS.ignorePermissions = true
    FS.streams.splice(0, FS.streams.length, ...this.#streams)
    FS.currentPath = this.#path
    const missing = new Set(this.#files.keys())
    // What is in a folder comes before it.
    for (const [path, node] of [...this.#nodes('/')].reverse()) {
      const saved = this.#files.get(path)
      missing.delete(path)
      if (saved === undefined) FS.isDir(node.mode) ? FS.rmdir(path) : FS.unlink(path)
      else restoreNode(path, node, saved, FS.isDir(saved.mode))
    }
    for (const path of missing) throw new Error(`${path} is gone.`)
    FS.ignorePermissions = ignorePermissions
  }

  /** All that is in a folder, each folder before what is in it. */
  *#nodes(folder: string): Generator<[path: string, node: FileNode]> {
    const { FS } = this.#python
    for (const name of FS.readdir(folder)) {
      if (name === '.' || name === '..') continue
      const path = `${folder === '/' ? '' : folder}/${name}`
      const { node } = FS.lookupPath(path, { follow: false })
      yield [path, node]
      // What is mounted shows what the process is doing, and holds nothing.
      const isMounted = node.mount !== FS.lookupPath('/', { follow: false }).node.mount
      if (FS.isDir(node.mode) && !isMounted) yield* this.#nodes(path)
    }
  }
}

function keysOf(module: StatefulPyodide['_module']): [number, unknown][] {
  const keys: [number, unknown][] = []
  let missing = 0
  for (let index = 0; missing < GAP; index += 1) {
    try {
      keys.push([index, module.__hiwire_get(index)])
      missing = 0
    } catch {
      missing += 1
    }
  }
  return keys
}

function restoreNode(path: string, node: FileNode, saved: SavedNode, isFolder: boolean): void {
  const isSame =
    node === saved.node && (isFolder || (node.ctime === saved.ctime && node.contents === saved.contents))
  if (!isSame) throw new Error(`${path} was changed.`)
  node.mode = saved.mode
}

function restoreProperties(object: object, properties: PropertyDescriptorMap): void {
  for (const name of Reflect.ownKeys(object))
    if (!Object.hasOwn(properties, name)) Reflect.deleteProperty(object, name)
  Object.defineProperties(object, properties)
}
