import { readJson } from '@platform/expressions'

/** What `repeat` and events get of a stream for one piece of it. */
export interface StreamItem {
  readonly chunk: unknown
}

/** Makes items of the bytes of an answer as they come in. */
export interface StreamItems {
  /** Answers false for a piece that is longer than one may be: nothing can be read behind it. */
  feed(bytes: Uint8Array): boolean
  /** What came last counts although nothing ends it. */
  end(): boolean
  readonly isEmpty: boolean
  /** The next items, so many at most. */
  take(most: number): StreamItem[]
}

/** Most characters of one line. */
const MAX_LINE = 1_000_000

/** An answer of JSON values, one a line. */
export class LineItems implements StreamItems {
  readonly #decoder = new TextDecoder()
  #lines: string[] = []
  /** Pieces of a line whose end has not come yet. */
  #begun: string[] = []
  #length = 0

  feed(bytes: Uint8Array): boolean {
    const [first = '', ...lines] = this.#decoder.decode(bytes, { stream: true }).split('\n')
    this.#begun.push(first)
    this.#length += first.length
    for (const line of lines) {
      this.#endLine()
      this.#begun = [line]
      this.#length = line.length
    }
    return this.#length <= MAX_LINE
  }

  end(): boolean {
    this.#begun.push(this.#decoder.decode())
    this.#endLine()
    return true
  }

  get isEmpty(): boolean {
    return this.#lines.length === 0
  }

  take(most: number): StreamItem[] {
    const taken = this.#lines.slice(0, most)
    this.#lines = this.#lines.slice(most)
    return taken.map((line) => ({ chunk: readLine(line) }))
  }

  #endLine(): void {
    const line = this.#begun.join('').trim()
    if (line !== '') this.#lines.push(line)
    this.#begun = []
    this.#length = 0
  }
}

/** A text, in the pieces that it comes in. */
export class TextItems implements StreamItems {
  readonly #decoder = new TextDecoder()
  #text = ''

  feed(bytes: Uint8Array): boolean {
    this.#text += this.#decoder.decode(bytes, { stream: true })
    return true
  }

  end(): boolean {
    this.#text += this.#decoder.decode()
    return true
  }

  get isEmpty(): boolean {
    return this.#text === ''
  }

  take(): StreamItem[] {
    const chunk = this.#text
    this.#text = ''
    return [{ chunk }]
  }
}

function readLine(line: string): unknown {
  try {
    return readJson(line)
  } catch {
    return line
  }
}
