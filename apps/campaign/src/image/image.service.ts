import type { CampaignParts } from '../campaign/campaign.service.js';
import type { PublicFetcher } from '#public-fetch';
import type { ImageRepository } from './image.repository.js';
import type { ObjectStorage } from './object-storage.client.js';

/** What the handlers of images work with. */
export interface ImageParts extends CampaignParts {
  images: ImageRepository;
  /** Where the bytes are kept; null for the database. */
  storage: ObjectStorage | null;
  fetcher: PublicFetcher;
  publicUrl: string;
}
