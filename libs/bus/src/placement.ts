/** Maps organizations to the namespaces of their cells; an organization never moves, so entries never expire. */
export class Placement {
  readonly #cells = new Map<string, string>();

  /**
   * @param home namespace of organizations without a named cell
   * @param ask returns the cell of an organization, null for the home; null in an installation with one cell
   */
  constructor(
    private readonly home: string,
    private readonly ask: ((organizationId: string) => Promise<string | null>) | null,
  ) {}

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
