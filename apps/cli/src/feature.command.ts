import { features, featuresOf, replicaRequests } from '#contracts';
import type { FeatureState, Service } from '#contracts';
import type { Bus } from '#bus';
import { exitStatus, UsageError } from './command-error.js';
import { jsonOption } from './command.js';
import type { Command } from './command.js';
import type { Session } from './session.js';
import { tableLines } from './terminal.js';
import type { Typed } from './typed.js';

const owners = [...new Set(Object.values(features).map(({ service }) => service))];
const names = Object.keys(features) as (keyof typeof features)[];

interface FeatureRow extends FeatureState {
  service: Service;
  /** The least protocol version of the services concerned. */
  version: number;
  /** Services of which a live process does not know the format, or of which none answers. */
  missing: Service[];
}

const list: Command = {
  words: ['features'],
  about: 'Lists the formats that are written once all replicas can read them, and which services are missing.',
  options: {
    off: { value: 'NAME', about: 'writes a format no longer: new sends start as they did before it', choices: names },
    on: { value: 'NAME', about: 'lets a format be written again once all replicas can read it', choices: names },
    json: jsonOption,
  },
  run: async (typed, session) => {
    const bus = await session.bus();
    await change(typed, session, bus);
    const rows: FeatureRow[] = [];
    for (const service of owners) {
      const { features: states } = await bus
        .clientIn(bus.home, replicaRequests(service))
        .list_features({}, session.caller());
      for (const [name, { version, readers }] of featuresOf(service)) {
        const state = states.find((one) => one.name === name);
        if (!state) continue;
        const missing = await listMissing(session, bus, [service, ...readers], version);
        rows.push({ service, ...state, version, missing });
      }
    }
    session.show(typed, { features: rows }, () =>
      tableLines([['FORMAT', 'WRITTEN BY', 'STATE', 'SINCE', 'VERSION', 'MISSING'], ...rows.map(cellsOf)]),
    );
    return exitStatus.done;
  },
};

async function change(typed: Typed, session: Session, bus: Bus): Promise<void> {
  const [off, on] = [typed.text('off'), typed.text('on')];
  if (off !== undefined && on !== undefined) throw new UsageError('Give either --off or --on.');
  const name = (off ?? on) as keyof typeof features | undefined;
  if (name === undefined) return;
  const requests = bus.clientIn(bus.home, replicaRequests(features[name].service));
  await requests.set_feature({ name, isAllowed: on !== undefined }, session.caller());
}

async function listMissing(session: Session, bus: Bus, services: readonly Service[], version: number) {
  const missing: Service[] = [];
  for (const service of services) {
    const requests = bus.clientIn(bus.home, replicaRequests(service));
    const least = await requests.get_protocol_version({}, session.caller()).catch(() => ({ version: 0 }));
    if (least.version < version) missing.push(service);
  }
  return missing;
}

const cellsOf = ({ name, service, state, enabledAt, version, missing }: FeatureRow): string[] => [
  ...[name, service, state, enabledAt ?? '-', String(version)],
  missing.length > 0 ? missing.join(', ') : '-',
];

export const featureCommands: readonly Command[] = [list];
