/**
 * Where organizations are: the namespace of the cell that keeps the data of each. An organization stays where it was made,
 * so what is known holds for ever.
 */
export class Placement {
  readonly #cells = new Map<string, string>();

  /**
   * @param home where organizations are that no cell is named for
   * @param ask names the cell of an organization, null for the home; null where there is no other cell to be told of
   */
  constructor(
    private readonly home: string,
    private readonly ask: ((organizationId: string) => Promise<string | null>) | null,
  ) {}

  /** Keeps what the domain service told by the way. */
  note({ organizationId, cell }: { organizationId: string; cell: string | null }): void {
    if (cell !== null || this.ask) this.#cells.set(organizationId, cell ?? this.home);
  }

  /** @throws RemoteFailure when it is not known and cannot be learned now */
  async find(organizationId: string): Promise<string> {
    const known = this.#cells.get(organizationId);
    if (known !== undefined || !this.ask || organizationId === '') return known ?? this.home;
    const cell = await this.ask(organizationId);
    this.note({ organizationId, cell });
    return cell ?? this.home;
  }
}
