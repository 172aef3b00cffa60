import type { DomainEvent, SubscriberEventType } from '#contracts';
import type { ConsumerContext, EventHandlers } from '#events';
import { HistoryRepository } from '../history/history.repository.js';
import { DeletionLockRepository } from '../subscriber/deletion-lock.repository.js';
import { SubscriberWorkflowRepository } from './subscriber-workflow.repository.js';

type RunEvent = DomainEvent<'run.started' | 'run.completed' | 'run.canceled' | 'webhook.executed'>;

const types: Record<RunEvent['name'], SubscriberEventType> = {
  'run.started': 'WORKFLOW_STARTED',
  'run.completed': 'WORKFLOW_COMPLETED',
  'run.canceled': 'WORKFLOW_CANCELED',
  'webhook.executed': 'WEBHOOK_EXECUTED',
};

async function keep(events: RunEvent[], { manager }: ConsumerContext): Promise<void> {
  const history = new HistoryRepository(manager);
  await new DeletionLockRepository(manager).holdOff(events.map(({ organizationId }) => organizationId));
  for (const organizationId of new Set(events.map((event) => event.organizationId))) {
    const theirs = events.filter((event) => event.organizationId === organizationId);
    await history.insert(
      organizationId,
      theirs.map(({ name, data: { subscriberId, at, ...data } }) => ({ subscriberId, type: types[name], data, at })),
    );
    await new SubscriberWorkflowRepository(manager).addRuns(
      organizationId,
      theirs.flatMap(({ name, data: { subscriberId, workflowId, at } }) =>
        name === 'webhook.executed'
          ? []
          : {
              subscriberId,
              workflowId,
              at,
              active: name === 'run.started' ? 1 : -1,
              completed: name === 'run.completed' ? 1 : 0,
            },
      ),
    );
  }
}

export const runHandlers = {
  'run.started': keep,
  'run.completed': keep,
  'run.canceled': keep,
  'webhook.executed': keep,
} satisfies EventHandlers;
