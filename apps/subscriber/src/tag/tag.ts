/** A name for a set of subscribers. */
export interface Tag {
  id: string;
  name: string;
}
