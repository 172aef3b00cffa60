const browsers: readonly [RegExp, string][] = [
  [/Edg\/(\d+)/, 'Edge'],
  [/Firefox\/(\d+)/, 'Firefox'],
  [/Chrome\/(\d+)/, 'Chrome'],
  [/Version\/(\d+).*Safari/, 'Safari'],
];
const systems: readonly [RegExp, string][] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
];

/** A browser's own description in a few words, such as "Firefox 143 on Linux"; another program's as it is, shortened. */
export function browserName(userAgent: string): string {
  const browser = browsers.flatMap(([form, name]) => {
    const found = form.exec(userAgent);
    return found ? [`${name} ${found[1]}`] : [];
  })[0];
  const system = systems.find(([form]) => form.test(userAgent))?.[1];
  if (browser === undefined) return userAgent.slice(0, 60);
  return system === undefined ? browser : `${browser} on ${system}`;
}
