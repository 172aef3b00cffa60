/**
 * What browsers have and jsdom lacks: dialogs, which open and close without a layer of their own, and the scroll of the
 * window. Imported by specs of components before all else.
 */
HTMLDialogElement.prototype.showModal = function (): void {
  this.open = true;
};
HTMLDialogElement.prototype.close = function (): void {
  this.open = false;
};
globalThis.scrollTo = () => undefined;
