import type { ToolData } from '#client';

export type Segment = ToolData<'get_segment'>['segment'];
