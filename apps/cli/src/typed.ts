export interface Typed {
  parameters: string[];
  text(option: string): string | undefined;
  texts(option: string): string[];
  has(option: string): boolean;
}
