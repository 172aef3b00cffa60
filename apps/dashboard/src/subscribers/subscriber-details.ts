import type { ToolData } from '#client';

export type Details = ToolData<'get_subscriber_details'>;
export type Subscriber = ToolData<'search_subscribers'>['subscribers'][number];
