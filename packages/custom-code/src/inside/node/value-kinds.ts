const kindOf = (value: unknown): string => Object.prototype.toString.call(value).slice(8, -1)

const isKind =
  (kind: string) =>
  (value: unknown): boolean =>
    typeof value === 'object' && value !== null && kindOf(value) === kind

const isFunctionOf =
  (kind: string) =>
  (value: unknown): boolean =>
    typeof value === 'function' && kindOf(value) === kind

/** `util.types`, by what values say they are. */
export const types = {
  isAnyArrayBuffer: (value: unknown): boolean => value instanceof ArrayBuffer,
  isArrayBuffer: (value: unknown): boolean => value instanceof ArrayBuffer,
  isArrayBufferView: (value: unknown): boolean => ArrayBuffer.isView(value),
  isAsyncFunction: isFunctionOf('AsyncFunction'),
  isBoxedPrimitive: (value: unknown): boolean =>
    typeof value === 'object' && ['Number', 'String', 'Boolean', 'BigInt', 'Symbol'].includes(kindOf(value)),
  isDataView: isKind('DataView'),
  isDate: isKind('Date'),
  isGeneratorFunction: isFunctionOf('GeneratorFunction'),
  isMap: isKind('Map'),
  isNativeError: (value: unknown): boolean => value instanceof Error,
  isPromise: isKind('Promise'),
  isRegExp: isKind('RegExp'),
  isSet: isKind('Set'),
  isTypedArray: (value: unknown): boolean => ArrayBuffer.isView(value) && !(value instanceof DataView),
  isUint8Array: (value: unknown): boolean => value instanceof Uint8Array,
  isWeakMap: isKind('WeakMap'),
  isWeakSet: isKind('WeakSet'),
}
