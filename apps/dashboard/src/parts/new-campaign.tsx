import { reportFailure } from '../data/report-failure.js';
import { actions } from '../data/tools.calls.js';
import { useAction } from '../data/use-action.js';
import { newCampaignText } from '../messages/en/new-campaign.js';
import { Button } from '../ui/button.js';
import { mayAct } from './own-role.js';
import { useGo } from './screen-link.js';

/** Makes a draft with the default letter, and opens it. */
export function NewCampaign() {
  const create = useAction(actions.create_campaign());
  const go = useGo();
  if (!mayAct('editor')) return null;
  const start = async () => {
    const { campaignId } = await create.run({ name: newCampaignText('name'), subject: newCampaignText('subject') });
    go({ screen: 'campaignWrite', params: { campaignId } });
  };
  return (
    <Button
      look="primary"
      icon="plus"
      data-compose=""
      busy={create.isPending}
      onClick={() => void start().catch(reportFailure)}
    >
      {newCampaignText('button')}
    </Button>
  );
}
