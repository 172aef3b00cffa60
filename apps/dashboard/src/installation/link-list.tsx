import { installationText } from '../messages/en/installation.js';
import { CopiedValue } from '../parts/copied-value.js';
import { Section } from '../ui/section.js';

const links = [
  { href: '/mailbox', text: 'mailbox' },
  { href: '/docs', text: 'docs' },
  { href: '/api/openapi.json', text: 'openapi' },
  { href: '/api/v2/tools', text: 'tools' },
] as const;

/** What the gateway serves beside the dashboard. */
export function LinkList() {
  return (
    <Section title={installationText('links')}>
      <ul className="divide-y divide-line border-y border-line">
        {links.map(({ href, text }) => (
          <li key={href} className="flex flex-wrap gap-x-4 py-2">
            <a href={href} className="w-44 text-accent underline">
              {installationText(`link.${text}`)}
            </a>
            <span className="text-soft">{installationText(`link.${text}.hint`)}</span>
          </li>
        ))}
        <li className="flex flex-wrap items-center gap-x-4 gap-y-1 py-2">
          <span className="w-44">{installationText('link.mcp')}</span>
          <span className="text-soft">{installationText('link.mcp.hint')}</span>
          <span className="min-w-0">
            <CopiedValue what={installationText('link.mcp')} value={`${location.origin}/api/mcp`} />
          </span>
        </li>
      </ul>
    </Section>
  );
}
