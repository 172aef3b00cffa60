import type { Screen } from '../parts/screen.js';

export const segmentScreens: Screen[] = [
  { name: 'segments', load: async () => (await import('./segments.page.js')).SegmentsPage },
  { name: 'segment', load: async () => (await import('./segment.page.js')).SegmentPage },
];
