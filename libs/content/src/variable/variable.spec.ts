import { describe, expect, it } from '@jest/globals';
import { canonicalName, splitText } from './variable.js';

const use = (variable: string, fallback: string | null = null) => ({ variable, fallback });

describe('splitText', () => {
  it.each([
    ['{{name}}', [use('name')]],
    ['Hi {{ name }}!', ['Hi ', use('name'), '!']],
    ["{{name | 'friend'}}", [use('name', 'friend')]],
    ["{{name || 'friend'}}", [use('name', 'friend')]],
    ['{{name|"friend"}}', [use('name', 'friend')]],
    ['{{name | friend}}', [use('name', 'friend')]],
    ['{{name | “friend”}}', [use('name', 'friend')]],
    ['{{name || ‘friend’}}', [use('name', 'friend')]],
    ['{{name | «ami»}}', [use('name', 'ami')]],
    ["{{name | 'it's'}}", [use('name', "it's")]],
    ["{{name | ''}}", [use('name', '')]],
    ['{{name |}}', [use('name', '')]],
    ['{{\u00a0name\u00a0|\u00a0x\u00a0}}', [use('name', 'x')]],
    ['{{FIRSTNAME}}', [use('firstName')]],
    ['{{Org-Adresse}}', [use('org-address')]],
    ['{{Prénom du client | "toi"}}', [use('Prénom du client', 'toi')]],
    ['{{two\n  lines}}', [use('two lines')]],
    ['{{名前}}{{a_b}}', [use('名前'), use('a_b')]],
    ['{{{name}}}', ['{', use('name'), '}']],
    ['{{snippet:Sign off}}', [{ snippet: 'Sign off' }]],
    ["{{ snippet : 'Sign off' }}", [{ snippet: 'Sign off' }]],
    ['{{addTag:a, b ,a}}', [{ tag: { add: ['a', 'b'] } }]],
    ['{{REMOVETAG:a}}', [{ tag: { remove: ['a'] } }]],
  ])('reads %j', (text, parts) => {
    expect(splitText(text)).toEqual(parts);
  });

  it.each([
    '',
    'no braces',
    '{name}',
    '{{7*7}}',
    '{{__proto__}}',
    '{{constructor}}',
    '{{Prototype | x}}',
    '{{#if a}}b{{/if}}',
    '{{ }}',
    '{{}}',
    '{{name',
    'name}}',
    '{{snippet:}}',
    '{{addTag:,}}',
    '{{<b>}}',
    `{{${'n'.repeat(256)}}}`,
    '${name} <%= name %> #{name}',
  ])('leaves %j as it is', (text) => {
    expect(splitText(text)).toEqual(text === '' ? [] : [text]);
  });

  it('takes time in proportion to the text, with any unclosed marks', () => {
    const started = performance.now();
    splitText('{{'.repeat(100_000));
    splitText('{{a|'.repeat(50_000));
    splitText('{{a}}'.repeat(50_000));
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});

describe('canonicalName', () => {
  it.each([
    ['unsubscribeurl', 'unsubscribeUrl'],
    [' currentYear ', 'currentYear'],
    ['T-shirt size (EU)', 'T-shirt size (EU)'],
    ['a  b', 'a b'],
    ['hasOwnProperty', 'hasOwnProperty'],
    ['', null],
    ['-x', null],
    ['a=b', null],
    ['CONSTRUCTOR', null],
  ])('writes %j as %j', (written, name) => {
    expect(canonicalName(written)).toBe(name);
  });
});
