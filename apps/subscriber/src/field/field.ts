/** A custom field's definition; values stand with each subscriber. */
export interface Field {
  id: string;
  /** As it is stored: a uuid; the key of the values. */
  key: string;
  name: string;
}
