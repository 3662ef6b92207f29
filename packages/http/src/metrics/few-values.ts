/** Numbers the values of a label from 0; once there are as many as there may be, every further value is `other`. */
export class FewValues {
  readonly #values: string[] = ['other']
  readonly #max: number

  constructor(max: number) {
    this.#max = max
  }

  indexOf(value: string): number {
    const values = this.#values
    for (let index = 0; index < values.length; index += 1) if (values[index] === value) return index
    return values.length <= this.#max ? values.push(value) - 1 : 0
  }

  valueOf(index: number): string {
    return this.#values[index] ?? 'other'
  }
}
