// What TypeScript has to know to check the scripts: what any element of a page may be asked, events of ours, newer interfaces.
interface Element {
  style: CSSStyleDeclaration;
  dataset: DOMStringMap;
  value: string;
  lendsTheme?: MutationObserver;
  crfFigure?: any;
  click(): void;
  focus(options?: FocusOptions): void;
  checkVisibility(options?: object): boolean;
}
interface DocumentEventMap {
  "crf:light": CustomEvent;
  "crf:moved": CustomEvent;
  "crf:step": CustomEvent;
  "crf:turn": CustomEvent;
}
interface Window { crfKept?: any }
interface Function { ofThisApp?: boolean }
interface PerformanceEntry { type?: string }
interface CSSStyleDeclaration { zoom: any; setProperty(name: string, value: number): void }
interface Array<T> { findLastIndex(test: (value: T, index: number) => unknown): number }
declare namespace AbortSignal { function timeout(ms: number): AbortSignal }
declare class OffscreenCanvas {
  constructor(width: number, height: number);
  getContext(kind: "2d", options?: object): CanvasRenderingContext2D;
  convertToBlob(options: object): Promise<Blob>;
  width: number;
  height: number;
}
declare class CompressionStream extends TransformStream<any, any> { constructor(format: string) }
declare class DecompressionStream extends TransformStream<any, any> { constructor(format: string) }
