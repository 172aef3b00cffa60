import { exportTools, openExportsMax } from '#contracts';
import { newId } from '#database';
import type { CallContext } from '#service-host';
import { implement, ToolError } from '#tool-call';
import { FieldRepository } from '../field/field.repository.js';
import type { FilterEngine } from '../filter/filter-engine.service.js';
import type { PublicLinks } from '../link/public-links.service.js';
import { SubscriberViewRepository } from '../subscriber/subscriber-view.repository.js';
import type { Selection } from '../subscriber/subscriber-view.repository.js';
import { TagRepository } from '../tag/tag.repository.js';
import { cleanLine } from '../text/text.js';
import { columnsOf, headerOf, recordsOf } from './export.js';
import type { ExportRow } from './export.js';
import { ExportRepository } from './export.repository.js';
import type { ExportState } from './export.repository.js';

const pageSize = 1_000;
/** A message of the bus holds 8 MB; subscribers with long values are then fewer than requested. */
const answerBytesMax = 6_000_000;

interface Dependencies {
  engine: FilterEngine;
  links: PublicLinks;
}

export function implementExportTools({ manager, transaction }: CallContext, { engine, links }: Dependencies) {
  const exports = new ExportRepository(manager);
  const getTagId = async (organizationId: string, name: string | undefined): Promise<string | null> => {
    if (name === undefined) return null;
    const tag = await new TagRepository(manager).findByName(organizationId, name);
    if (!tag) throw new ToolError('TAG_NOT_FOUND', { id: name, by: 'name' });
    return tag.id;
  };
  const shown = (state: ExportState, organizationId: string, now: Date) => {
    const { id, status, rowsDone, rowsTotal, failure, createdAt } = state;
    const link = status === 'DONE' ? links.downloadLink(organizationId, id, now) : null;
    return {
      exportId: id,
      status,
      rows: rowsDone,
      createdAt: createdAt.toISOString(),
      progress: status === 'DONE' ? 1 : rowsTotal ? Math.min(1, rowsDone / rowsTotal) : 0,
      ...(failure !== null && { failure }),
      ...(link && { downloadUrl: link.url, expiresAt: link.expiresAt.toISOString() }),
    };
  };

  return implement(exportTools, {
    export_subscribers: async ({ status = null, tag, format, limit }, { organizationId }) => {
      const selection = { status, tagId: await getTagId(organizationId, tag), query: null, where: null };
      const views = new SubscriberViewRepository(manager);
      const { subscribers, more } = await firstOf(views, organizationId, { selection, limit });
      const facts = { count: subscribers.length, truncated: more };
      if (format === 'json') return { format, ...facts, subscribers: subscribers.map(rowOf) };
      const columns = columnsOf(null, await new FieldRepository(manager).list(organizationId));
      return { format, ...facts, csv: headerOf(columns) + recordsOf(subscribers.map(recordOf), columns) };
    },

    create_subscriber_export: async ({ filters, query, status, tag, fields = null }, caller) => {
      const { organizationId, now } = caller;
      const plan = await engine.plan(caller, filters, { from: 'caller' });
      const exportId = newId('exp');
      const request = {
        filters: plan.normalised(),
        query: query === undefined ? null : cleanLine(query),
        status: status === 'ALL' ? null : status,
        tagId: await getTagId(organizationId, tag),
        fields,
      };
      await transaction(async (inner) => {
        const open = new ExportRepository(inner.manager);
        assertOpen(await open.countOpenLocked(organizationId));
        await open.insert(organizationId, exportId, request, now);
      });
      return { exportId, status: 'QUEUED' as const };
    },

    get_subscriber_export: async ({ exportId }, { organizationId, now }) => {
      const state = await exports.find(organizationId, exportId);
      if (!state) throw new ToolError('EXPORT_NOT_FOUND', { id: exportId });
      return shown(state, organizationId, now);
    },

    list_subscriber_exports: async (_args, { organizationId, now }) => ({
      exports: (await exports.listNewest(organizationId)).map((state) => shown(state, organizationId, now)),
    }),
  });
}

export function assertOpen(used: number): void {
  if (used < openExportsMax) return;
  const advice = 'Wait until one is DONE (list_subscriber_exports).';
  throw new ToolError('LIMIT_REACHED', { what: 'open exports', limit: openExportsMax, used, advice });
}

async function firstOf(
  views: SubscriberViewRepository,
  organizationId: string,
  { selection, limit }: { selection: Selection; limit: number },
): Promise<{ subscribers: View[]; more: boolean }> {
  const subscribers: View[] = [];
  let bytes = 0;
  for (;;) {
    const after = subscribers.at(-1)?.id ?? null;
    const page = await views.list(organizationId, selection, {
      after,
      limit: Math.min(pageSize, limit - subscribers.length),
    });
    for (const one of page.subscribers) {
      bytes += Buffer.byteLength(JSON.stringify(one));
      if (bytes > answerBytesMax) return { subscribers, more: true };
      subscribers.push(one);
    }
    if (!page.more || subscribers.length === limit) return { subscribers, more: page.more };
  }
}

type View = Awaited<ReturnType<SubscriberViewRepository['list']>>['subscribers'][number];
const recordOf = (view: View): ExportRow => ({ ...view, tags: view.tags.map(({ name }) => name) });
const rowOf = ({ email, name, phone, status, tags, customFields, createdAt }: View) => ({
  email,
  name,
  phone,
  status,
  tags,
  customFields,
  createdAt,
});
