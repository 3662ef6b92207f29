/** Takes what identity opens and closes it when the service stops, or when its start fails. */
export interface Opened {
  use<Part extends AsyncDisposable | Disposable>(part: Part): Part
}
