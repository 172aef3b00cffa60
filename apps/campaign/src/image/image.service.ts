import type { CampaignDependencies } from '../campaign/campaign.service.js';
import type { PublicFetcher } from '#public-fetch';
import type { ImageRepository } from './image.repository.js';
import type { ObjectStorage } from './object-storage.client.js';

export interface ImageDependencies extends CampaignDependencies {
  images: ImageRepository;
  /** Storage of the bytes; null for the database. */
  storage: ObjectStorage | null;
  fetcher: PublicFetcher;
  publicUrl: string;
}
