import { installationText } from '../messages/en/installation.js';
import { Page } from '../parts/page.js';
import { useScreenSearch } from '../parts/screen-search.js';
import { installationSearch } from './installation-search.js';
import { LinkList } from './link-list.js';
import { OrganizationChoice } from './organization-choice.js';
import { SendsUnderWay } from './sends-under-way.js';
import { ServiceList } from './service-list.js';

/** Whether the installation is well: its services, what is being sent, and where more stands. */
export function OverviewPage() {
  const [, setSearch] = useScreenSearch(installationSearch);
  return (
    <Page title={installationText('title')}>
      <div className="flex flex-col gap-9">
        <OrganizationChoice onChange={(organization) => setSearch({ organization })} />
        <ServiceList />
        <SendsUnderWay />
        <LinkList />
      </div>
    </Page>
  );
}
