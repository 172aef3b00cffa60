import type { CampaignParts } from '../campaign/campaign.parts.js';
import type { PublicFetcher } from '../public-fetch/public-fetcher.client.js';
import type { ImageRepository } from './image.repository.js';

/** What the handlers of images work with. */
export interface ImageParts extends CampaignParts {
  images: ImageRepository;
  fetcher: PublicFetcher;
  publicUrl: string;
}
