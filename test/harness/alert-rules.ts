import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';

const folder = resolve(import.meta.dirname, '../../k8s/components/monitoring');
export const read = (file: string): string => readFileSync(join(folder, file), 'utf8');

export interface Rule {
  alert: string;
  expr: string;
  for?: string;
  labels: { severity: string };
  /** `runbook` is a page of this repository with an anchor. */
  annotations: { summary: string; runbook: string };
}
export interface Groups {
  groups: { name: string; rules: Rule[] }[];
}
export interface Panel {
  id: number;
  type: string;
  title: string;
  gridPos: Record<'x' | 'y' | 'w' | 'h', number>;
  targets?: { expr: string }[];
}

/** The alert rules as Prometheus reads them. */
export const alerts = (parse(read('alerts.yaml')) as Groups).groups.flatMap(({ rules }) => rules);

/** The panels of the dashboard as Grafana reads it. */
export const { panels } = JSON.parse(read('dashboard.json')) as { panels: Panel[] };

/** Everything that rules and dashboard ask Prometheus. */
export const expressions = [
  ...alerts.map(({ expr }) => expr),
  ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
];
