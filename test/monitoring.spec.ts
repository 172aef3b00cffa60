import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { alerts, expressions, panels, read } from './harness/alert-rules.js';
import type { Groups } from './harness/alert-rules.js';
import { metricsOf } from './harness/promql.js';

describe('the alert rules', () => {
  it('are the same for Prometheus and for its operator', () => {
    const { spec, kind } = parse(read('prometheus-rule.yaml')) as { kind: string; spec: Groups };
    expect(kind).toBe('PrometheusRule');
    expect(spec).toEqual(parse(read('alerts.yaml')));
  });

  it('have a name, a weight and a sentence each', () => {
    expect(alerts.length).toBeGreaterThan(20);
    expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
    for (const { alert, labels, annotations, for: after = '1m' } of alerts) {
      expect(alert).toMatch(/^Tidings[A-Z][A-Za-z]+$/);
      expect(['critical', 'warning', 'info']).toContain(labels.severity);
      expect(annotations.summary.length).toBeGreaterThan(15);
      expect(after).toMatch(/^\d+[mh]$/);
    }
  });

  it('take the worst of the processes where each reports separately', () => {
    const { expr } = alerts.find(({ alert }) => alert === 'TidingsPoolExhausted')!;
    // A process that waits beside one that does not: the least of both would be none, for ever.
    expect(expr).toMatch(/^max by \(namespace, service\)/);
  });

  it('have one runbook each, in their order, which the annotation names', () => {
    const page = 'docs/guides/runbooks.md';
    const sections = readFileSync(page, 'utf8').split(/^#{2,3} (?=\S)/m);
    const runbooks = sections.flatMap((text) => [...text.matchAll(/^(Tidings\w+)\n\n([\s\S]+)/g)]);
    expect(runbooks.map(([, name]) => name)).toEqual(alerts.map(({ alert }) => alert));
    for (const [, , text] of runbooks) expect(text!.trim().length).toBeGreaterThan(80);
    for (const { alert, annotations } of alerts) expect(annotations.runbook).toBe(`${page}#${alert.toLowerCase()}`);
  });
});

describe('the dashboard', () => {
  it('has panels that do not lie over each other, with questions that can be read', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const taken = new Set<string>();
    for (const { title, type, gridPos, targets = [] } of panels) {
      expect([title, targets.length > 0]).toEqual([expect.stringMatching(/./), type !== 'row']);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(taken.has(`${x} ${y}`)).toBe(false);
          taken.add(`${x} ${y}`);
        }
      }
    }
  });
});

describe('the questions to Prometheus', () => {
  it.each(expressions)('%s', (expression) => {
    expect(metricsOf(expression).map(({ name }) => name)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^(tidings|nodejs|process)_/)]),
    );
  });

  it('that cannot be read are found', () => {
    expect(metricsOf('sum by (le) (rate(a_bucket{b="x(",c!~"y"}[5m])) / on (d) e offset 10m > 0.5')).toEqual([
      { name: 'a_bucket', labels: ['b', 'c'] },
      { name: 'e', labels: [] },
    ]);
    for (const wrong of ['sum(a', 'sum(a}', 'summ(a)', 'a ? b', 'a{b="c}'])
      expect(() => metricsOf(wrong)).toThrow(wrong);
  });
});
