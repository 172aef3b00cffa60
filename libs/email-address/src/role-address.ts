import type { EmailAddress } from './email-address.js';

/** RFC 2142 and further names of an office, a queue or a machine rather than a person. */
const ROLES = new Set(
  `abuse accounting accounts admin administrator all billing bounce bounces careers compliance contact
  customer-service customercare customerservice daemon devnull dns do-not-reply donotreply enquiries enquiry
  everyone feedback finance ftp hello help helpdesk hostmaster hr info inoc inquiries investors invoice
  invoices ispfeedback ispsupport it jobs legal list list-request mail mailer-daemon maildaemon marketing media
  news newsletter no-reply nobody noc noreply notifications null office operations orders phish phishing
  postmaster press privacy purchasing recruiting recruitment registrar remove root sales security service
  services shop spam staff subscribe support sysadmin team tech undisclosed-recipients unsubscribe usenet uucp
  webmaster www`.split(/\s+/),
);

/** Whether the mailbox is that of a role (`info@`, `no-reply@`) rather than a person; a plus tag does not count. */
export const isRoleAddress = (address: Pick<EmailAddress, 'local'>): boolean =>
  ROLES.has(address.local.toLowerCase().replace(/\+.*$/, ''));
