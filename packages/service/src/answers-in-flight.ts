import type { ServerResponse } from 'node:http'

/**
 * The answers that are being written. They stand in numbered places and not in a Set: a Set that is added to and deleted from all
 * day leaves a chain of outgrown tables in old memory that keeps every answer alive until the next full collection.
 */
export class AnswersInFlight {
  readonly #places: (ServerResponse | undefined)[] = []
  readonly #free: number[] = []

  /** Holds an answer until it is closed. */
  add(response: ServerResponse): void {
    const place = this.#free.pop() ?? this.#places.length
    this.#places[place] = response
    response.once('close', () => {
      this.#places[place] = undefined
      this.#free.push(place)
    })
  }

  forEach(act: (response: ServerResponse) => void): void {
    for (const response of this.#places) if (response !== undefined) act(response)
  }
}
