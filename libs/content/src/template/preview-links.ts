/** Preview links lead nowhere, since there is no sent message to identify a recipient. */
export const previewLinks = { unsubscribeUrl: '#unsubscribe', preferencesUrl: '#preferences', onlineUrl: '#online' };
