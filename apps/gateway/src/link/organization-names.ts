/** Names change rarely, and a page with an old one is still right. */
const keptMs = 5 * 60_000;
const keptMax = 10_000;

/** The names of organizations, as recipients know them. */
export class OrganizationNames {
  readonly #names = new Map<string, { name: string; until: number }>();

  constructor(
    private readonly ask: (organizationId: string) => Promise<string>,
    private readonly now: () => number = Date.now,
  ) {}

  /** @returns null when it is not known and cannot be learned now: pages do without it */
  async find(organizationId: string): Promise<string | null> {
    const known = this.#names.get(organizationId);
    if (known && known.until > this.now()) return known.name;
    const name = await this.ask(organizationId).catch(() => null);
    if (name === null) return known?.name ?? null;
    if (this.#names.size >= keptMax) this.#names.clear();
    this.#names.set(organizationId, { name, until: this.now() + keptMs });
    return name;
  }
}
