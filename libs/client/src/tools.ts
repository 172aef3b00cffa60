/* oxlint-disable max-lines -- generated from the contracts by `npm run generate` */

export const version = '0.1.0';

/** Tools that change nothing. */
export const readingTools: ReadonlySet<string> = new Set([
  'list_tags',
  'list_subscribers',
  'query_subscribers',
  'count_subscribers',
  'count_subscribers_by_status',
  'get_subscribers_by_tag',
  'get_subscriber',
  'list_subscriber_events',
  'get_merge_values',
  'get_engagement_series',
  'explain',
  'get_subscriber_details',
  'search_subscribers',
  'search_subscriber_events',
  'list_segments',
  'get_segment',
  'get_available_filters',
  'get_org_stats',
  'get_subscriber_growth',
  'get_subscriber_stats',
  'get_subscriber_import',
  'list_subscriber_imports',
  'list_suppressed_subscribers',
  'get_custom_fields',
  'export_subscribers',
  'get_subscriber_export',
  'list_subscriber_exports',
  'list_campaigns',
  'get_campaign',
  'render_campaign',
  'get_campaign_progress',
  'list_campaign_history',
  'get_campaign_history_entry',
  'get_campaign_analytics',
  'list_campaign_recipients',
  'search_campaigns',
  'get_campaign_series',
  'preview_send',
  'get_email_snippets',
  'get_email_snippet',
  'get_writing_style',
  'get_available_variables',
  'get_skill',
  'list_images',
  'fetch_web_page',
  'list_workflows',
  'get_workflow',
  'get_subscriber_workflow_runs',
  'search_workflows',
  'list_workflow_runs',
  'get_workflow_flow',
  'validate_workflow_draft',
  'get_step_schemas',
  'simulate_workflow',
  'get_workflow_simulation',
  'list_workflow_groups',
  'get_workflow_group',
  'list_domains',
  'get_domain_dns_records',
  'list_web_domains',
  'get_web_domain',
  'get_email_senders',
  'get_retention',
  'get_subscriber_emails',
  'get_deliverability_health',
  'get_me',
  'list_members',
  'list_approvals',
  'get_approval',
  'list_sends',
  'get_send',
  'list_messages',
  'get_message',
  'get_organization',
]);

/** What each tool takes, and what it answers. */
export interface Tools {
  /** Lists all tags of the organization by name, with the number of subscribers that have each. */
  list_tags: {
    input: Record<string, never>;
    data: {
      tags: {
        id: string;
        name: string;
        subscribersCount: number;
      }[];
      total: number;
    };
  };
  /** Creates a tag. */
  create_tag: {
    input: {
      /** 1–64 characters, no comma or brace */
      name: string;
    };
    data: {
      tag: {
        id: string;
        name: string;
      };
    };
  };
  /** Returns the tags with these names and creates the missing ones. */
  get_or_create_tags: {
    input: {
      names: string[];
    };
    data: {
      tags: {
        id: string;
        name: string;
        created: boolean;
      }[];
    };
  };
  /** Renames a tag. Its subscribers, segments and filters keep it. */
  rename_tag: {
    input: {
      tagId: string;
      name: string;
    };
    data: {
      tag: {
        id: string;
        name: string;
        subscribersCount: number;
      };
    };
  };
  /** Deletes a tag and removes it from every subscriber. */
  delete_tag: {
    input: {
      tagId?: string | undefined;
      /** Compared without case */
      name?: string | undefined;
    };
    data: {
      deleted: true;
      tag: {
        id: string;
        name: string;
      };
      removedFrom: number;
    };
  };
  /** Lists subscribers with email, name, status and tags, most recently created first. */
  list_subscribers: {
    input: {
      limit?: number | undefined;
      status?:
        | 'all'
        | 'PENDING_CONFIRMATION'
        | 'SUBSCRIBED'
        | 'UNSUBSCRIBED'
        | 'BOUNCED'
        | 'BANNED'
        | 'COMPLAINED'
        | 'TRANSACTIONAL'
        | undefined;
      /** A tag name, compared without case */
      tag?: string | undefined;
      /** Substring of email, name or tag name, without case */
      query?: string | undefined;
      cursor?: string | undefined;
    };
    data: {
      subscribers: {
        id: string;
        email: string;
        name: string | null;
        status:
          | 'PENDING_CONFIRMATION'
          | 'SUBSCRIBED'
          | 'UNSUBSCRIBED'
          | 'BOUNCED'
          | 'BANNED'
          | 'COMPLAINED'
          | 'TRANSACTIONAL';
        createdAt: string;
        tags: {
          id: string;
          name: string;
        }[];
      }[];
      total: number;
      totalIsMinimum?: true | undefined;
      limit: number;
      nextCursor: string | null;
    };
  };
  /** Lists the subscribers that match filters, a status and a free text, with the requested fields, newest first. */
  query_subscribers: {
    input: {
      filters?:
        | {
            /** STRING, NUMBER, DATE, TAG, FIELD, SEGMENT, CAMPAIGN, WORKFLOW, EVENT, SYSTEM or GROUP */
            type: string;
            field?: string | undefined;
            operator?: string | undefined;
            [key: string]: unknown;
          }[]
        | undefined;
      status?:
        | 'PENDING_CONFIRMATION'
        | 'SUBSCRIBED'
        | 'UNSUBSCRIBED'
        | 'BOUNCED'
        | 'BANNED'
        | 'COMPLAINED'
        | 'TRANSACTIONAL'
        | 'ALL'
        | undefined;
      /** Substring of email, name or tag name, without case */
      query?: string | undefined;
      limit?: number | undefined;
      cursor?: string | undefined;
      fields?:
        | (
            | 'id'
            | 'email'
            | 'name'
            | 'phone'
            | 'status'
            | 'createdAt'
            | 'updatedAt'
            | 'tags'
            | 'customFields'
            | 'revenue'
            | 'emailCount'
            | 'openCount'
            | 'clickCount'
          )[]
        | undefined;
    };
    data: {
      subscribers: {
        id?: string | undefined;
        email?: string | undefined;
        name?: (string | null) | undefined;
        phone?: (string | null) | undefined;
        status?:
          | 'PENDING_CONFIRMATION'
          | 'SUBSCRIBED'
          | 'UNSUBSCRIBED'
          | 'BOUNCED'
          | 'BANNED'
          | 'COMPLAINED'
          | 'TRANSACTIONAL'
          | undefined;
        createdAt?: string | undefined;
        updatedAt?: string | undefined;
        tags?:
          | {
              id: string;
              name: string;
            }[]
          | undefined;
        customFields?: Record<string, string> | undefined;
        revenue?: number | undefined;
        emailCount?: number | undefined;
        openCount?: number | undefined;
        clickCount?: number | undefined;
      }[];
      total: number;
      totalIsMinimum?: true | undefined;
      limit: number;
      nextCursor: string | null;
    };
  };
  /** Counts the subscribers that match filters, a status and a free text. The count is always exact. */
  count_subscribers: {
    input: {
      filters?:
        | {
            /** STRING, NUMBER, DATE, TAG, FIELD, SEGMENT, CAMPAIGN, WORKFLOW, EVENT, SYSTEM or GROUP */
            type: string;
            field?: string | undefined;
            operator?: string | undefined;
            [key: string]: unknown;
          }[]
        | undefined;
      status?:
        | 'PENDING_CONFIRMATION'
        | 'SUBSCRIBED'
        | 'UNSUBSCRIBED'
        | 'BOUNCED'
        | 'BANNED'
        | 'COMPLAINED'
        | 'TRANSACTIONAL'
        | 'ALL'
        | undefined;
      /** Substring of email, name or tag name, without case */
      query?: string | undefined;
    };
    data: {
      total: number;
    };
  };
  /** Counts the subscribers of each status, or of one. */
  count_subscribers_by_status: {
    input: {
      status?: 'SUBSCRIBED' | 'UNSUBSCRIBED' | 'BOUNCED' | 'BANNED' | 'COMPLAINED' | undefined;
    };
    data: {
      counts: Record<string, number>;
      total: number;
    };
  };
  /** Returns the newest subscribers with a tag, and the number of subscribers that have it. */
  get_subscribers_by_tag: {
    input: {
      tagName: string;
      limit?: number | undefined;
    };
    data: {
      tag: {
        id: string;
        name: string;
      };
      subscribers: {
        id: string;
        email: string;
        name: string | null;
        status:
          | 'PENDING_CONFIRMATION'
          | 'SUBSCRIBED'
          | 'UNSUBSCRIBED'
          | 'BOUNCED'
          | 'BANNED'
          | 'COMPLAINED'
          | 'TRANSACTIONAL';
        createdAt: string;
        tags: {
          id: string;
          name: string;
        }[];
      }[];
      total: number;
    };
  };
  /** Returns one subscriber with tags, custom fields and counters. */
  get_subscriber: {
    input: {
      /** Subscriber id; required without email */
      subscriberId?: string | undefined;
      /** Email address; required without subscriberId */
      email?: string | undefined;
    };
    data: {
      subscriber: {
        id: string;
        email: string;
        name: string | null;
        phone: string | null;
        status:
          | 'PENDING_CONFIRMATION'
          | 'SUBSCRIBED'
          | 'UNSUBSCRIBED'
          | 'BOUNCED'
          | 'BANNED'
          | 'COMPLAINED'
          | 'TRANSACTIONAL';
        createdAt: string;
        updatedAt: string;
        tags: {
          id: string;
          name: string;
        }[];
        customFields: Record<string, string>;
        revenue: number;
        emailCount: number;
        openCount: number;
        clickCount: number;
      };
    };
  };
  /** Creates a subscriber, or updates the fields, tags and status of the one with this address. */
  add_subscriber: {
    input: {
      email: string;
      name?: (string | null) | undefined;
      phone?: (string | null) | undefined;
      fields?: Record<string, string | number | boolean | null> | undefined;
      ipAddress?: string | undefined;
      /** An ISO 3166-1 code (FR, FRA) or a name (France, Frankreich); case and accents are ignored */
      country?: string | undefined;
      tags?: string[] | undefined;
      replaceTags?: boolean | undefined;
      resubscribe?: boolean | undefined;
      triggerWorkflows?: boolean | undefined;
      skipDoubleOptIn?: boolean | undefined;
    };
    data: {
      subscriber: {
        id: string;
        email: string;
        name: string | null;
        phone: string | null;
        status:
          | 'PENDING_CONFIRMATION'
          | 'SUBSCRIBED'
          | 'UNSUBSCRIBED'
          | 'BOUNCED'
          | 'BANNED'
          | 'COMPLAINED'
          | 'TRANSACTIONAL';
        createdAt: string;
        updatedAt: string;
        tags: {
          id: string;
          name: string;
        }[];
        customFields: Record<string, string>;
        revenue: number;
        emailCount: number;
        openCount: number;
        clickCount: number;
      };
      created: boolean;
      warnings?: string[] | undefined;
    };
  };
  /** Updates the given fields of a subscriber; omitted fields keep their values. */
  update_subscriber: {
    input: {
      /** An id or an address */
      subscriber: string;
      email?: string | undefined;
      name?: (string | null) | undefined;
      phone?: (string | null) | undefined;
      fields?: Record<string, string | number | boolean | null> | undefined;
      ipAddress?: string | undefined;
      /** An ISO 3166-1 code (FR, FRA) or a name (France, Frankreich); case and accents are ignored */
      country?: string | undefined;
      tags?: string[] | undefined;
      replaceTags?: boolean | undefined;
      resubscribe?: boolean | undefined;
      triggerWorkflows?: boolean | undefined;
      skipDoubleOptIn?: boolean | undefined;
    };
    data: {
      subscriber: {
        id: string;
        email: string;
        name: string | null;
        phone: string | null;
        status:
          | 'PENDING_CONFIRMATION'
          | 'SUBSCRIBED'
          | 'UNSUBSCRIBED'
          | 'BOUNCED'
          | 'BANNED'
          | 'COMPLAINED'
          | 'TRANSACTIONAL';
        createdAt: string;
        updatedAt: string;
        tags: {
          id: string;
          name: string;
        }[];
        customFields: Record<string, string>;
        revenue: number;
        emailCount: number;
        openCount: number;
        clickCount: number;
      };
      warnings?: string[] | undefined;
    };
  };
  /** Unsubscribes a subscriber, who then receives no marketing or workflow email. */
  unsubscribe: {
    input: {
      /** Subscriber id; required without email */
      subscriberId?: string | undefined;
      /** Email address; required without subscriberId */
      email?: string | undefined;
      reason?: string | undefined;
    };
    data: {
      subscriber: {
        id: string;
        email: string;
        status:
          | 'PENDING_CONFIRMATION'
          | 'SUBSCRIBED'
          | 'UNSUBSCRIBED'
          | 'BOUNCED'
          | 'BANNED'
          | 'COMPLAINED'
          | 'TRANSACTIONAL';
      };
    };
  };
  /** Lists a subscriber's history, newest first. */
  list_subscriber_events: {
    input: {
      /** Subscriber id; required without email */
      subscriberId?: string | undefined;
      /** Email address; required without subscriberId */
      email?: string | undefined;
      eventType?:
        | 'SUBSCRIBED'
        | 'UNSUBSCRIBED'
        | 'TAG_ADDED'
        | 'TAG_REMOVED'
        | 'EMAIL_OPENED'
        | 'EMAIL_CLICKED'
        | 'EMAIL_SENT'
        | 'EMAIL_DELIVERY_DELAYED'
        | 'WORKFLOW_STARTED'
        | 'WORKFLOW_COMPLETED'
        | 'WORKFLOW_CANCELED'
        | 'FIELD_UPDATED'
        | 'EMAIL_BOUNCED'
        | 'EMAIL_COMPLAINED'
        | 'EMAIL_RECEIVED'
        | 'WEBHOOK_EXECUTED'
        | 'SUBSCRIBER_PAYMENT'
        | 'SUBSCRIBER_REFUND'
        | undefined;
      limit?: number | undefined;
    };
    data: {
      events: {
        id: string;
        type: string;
        data: Record<string, unknown>;
        createdAt: string;
      }[];
      total: number;
      totalIsMinimum?: true | undefined;
    };
  };
  /** Returns the values that a subscriber's copy of a mail is rendered with. */
  get_merge_values: {
    input: {
      /** Subscriber id. Use get_subscriber to find it by email. */
      subscriberId: string;
      /** The showIf lists of conditional blocks */
      showIf?:
        | {
            /** STRING, NUMBER, DATE, TAG, FIELD, SEGMENT, CAMPAIGN, WORKFLOW, EVENT, SYSTEM or GROUP */
            type: string;
            field?: string | undefined;
            operator?: string | undefined;
            [key: string]: unknown;
          }[][]
        | undefined;
    };
    data: {
      subscriberId: string;
      email: string;
      values: Record<string, string | null>;
      shows: boolean[];
    };
  };
  /** Returns the results of an organization's mail by hour or day in its time zone, with zeros for gaps. */
  get_engagement_series: {
    input: {
      interval: 'HOUR' | 'DAY';
      from?: string | undefined;
      to?: string | undefined;
      kind?: 'CAMPAIGN' | 'WORKFLOW' | 'TRANSACTIONAL' | undefined;
    };
    data: {
      points: {
        at: string;
        sent: number;
        delivered: number;
        bounced: number;
        complained: number;
        unsubscribed: number;
        opens: number;
        uniqueOpens: number;
        clicks: number;
        uniqueClicks: number;
      }[];
      timezone: string;
    };
  };
  /** Explains why a subscriber got a mail, entered a workflow or is in a segment, or why not. */
  explain: {
    input: {
      subscriberId?: string | undefined;
      email?: string | undefined;
      campaignId?: string | undefined;
      workflowId?: string | undefined;
      segmentId?: string | undefined;
      messageId?: string | undefined;
    };
    data: {
      subscriberId: string | null;
      verdict:
        | 'RECEIVED'
        | 'SENT'
        | 'WILL_RECEIVE'
        | 'WAITING'
        | 'LEFT_OUT'
        | 'REFUSED'
        | 'IN_DOUBT'
        | 'NOT_IN_AUDIENCE'
        | 'RUNNING'
        | 'COMPLETED'
        | 'NOT_STARTED'
        | 'IN'
        | 'OUT';
      /** The instant that the verdict is about */
      at: string;
      headline: string;
      checks: {
        rule: string;
        filter?:
          | {
              /** STRING, NUMBER, DATE, TAG, FIELD, SEGMENT, CAMPAIGN, WORKFLOW, EVENT, SYSTEM or GROUP */
              type: string;
              field?: string | undefined;
              operator?: string | undefined;
              [key: string]: unknown;
            }
          | undefined;
        expected: string;
        actual: string;
        /** null if it cannot be known any more */
        passed: boolean | null;
        /** RECORDED: stored at that time. REWOUND: computed from the history. NOW: known as of now only. */
        certainty: 'RECORDED' | 'REWOUND' | 'NOW';
        at: string;
        source: string;
      }[];
      /** When the next attempt is due; null if none is */
      nextPossibleAt: string | null;
      actions: {
        tool: string;
        arguments: Record<string, unknown>;
        effect: string;
      }[];
      unknown: string[];
    };
  };
  /** Returns one subscriber with country, suppressions, and whether marketing and transactional mail reaches it. */
  get_subscriber_details: {
    input: {
      /** Subscriber id; required without email */
      subscriberId?: string | undefined;
      /** Email address; required without subscriberId */
      email?: string | undefined;
    };
    data: {
      subscriber: {
        id: string;
        email: string;
        name: string | null;
        phone: string | null;
        status:
          | 'PENDING_CONFIRMATION'
          | 'SUBSCRIBED'
          | 'UNSUBSCRIBED'
          | 'BOUNCED'
          | 'BANNED'
          | 'COMPLAINED'
          | 'TRANSACTIONAL';
        createdAt: string;
        updatedAt: string;
        tags: {
          id: string;
          name: string;
        }[];
        customFields: Record<string, string>;
        revenue: number;
        emailCount: number;
        openCount: number;
        clickCount: number;
      };
      /** ISO 3166-1 alpha-2 code */
      country: string | null;
      suppressions: {
        suppression: 'BANNED' | 'COMPLAINED' | 'BOUNCED';
        since: string;
        /** Category or text, if known */
        reason: string | null;
      }[];
      mailable: {
        marketing: boolean;
        transactional: boolean;
        /** Why mail is withheld; null if both kinds are sent */
        why: string | null;
      };
    };
  };
  /** Deletes a subscriber with all its data in every service. */
  delete_subscriber: {
    input: {
      /** Subscriber id; required without email */
      subscriberId?: string | undefined;
      /** Email address; required without subscriberId */
      email?: string | undefined;
    };
    data: {
      deleted: true;
      id: string;
      keptSuppressions: ('BANNED' | 'COMPLAINED' | 'BOUNCED' | 'UNSUBSCRIBED')[];
    };
  };
  /** Starts an export of all stored data of one subscriber from every service to a JSON file. */
  export_subscriber_data: {
    input: {
      /** Subscriber id; required without email */
      subscriberId?: string | undefined;
      /** Email address; required without subscriberId */
      email?: string | undefined;
    };
    data: {
      exportId: string;
      status: 'QUEUED';
    };
  };
  /** Bans an address from all mail, or lifts its ban. */
  set_subscriber_ban: {
    input: {
      email: string;
      banned: boolean;
      /** Shown by get_subscriber_details */
      reason?: string | undefined;
    };
    data: {
      email: string;
      banned: boolean;
      subscriberId: string | null;
      status:
        | 'PENDING_CONFIRMATION'
        | 'SUBSCRIBED'
        | 'UNSUBSCRIBED'
        | 'BOUNCED'
        | 'BANNED'
        | 'COMPLAINED'
        | 'TRANSACTIONAL'
        | null;
    };
  };
  /** Lists subscribers by filters, status, tag and text, sorted by creation or address. */
  search_subscribers: {
    input: {
      filters?:
        | {
            /** STRING, NUMBER, DATE, TAG, FIELD, SEGMENT, CAMPAIGN, WORKFLOW, EVENT, SYSTEM or GROUP */
            type: string;
            field?: string | undefined;
            operator?: string | undefined;
            [key: string]: unknown;
          }[]
        | undefined;
      status?:
        | 'PENDING_CONFIRMATION'
        | 'SUBSCRIBED'
        | 'UNSUBSCRIBED'
        | 'BOUNCED'
        | 'BANNED'
        | 'COMPLAINED'
        | 'TRANSACTIONAL'
        | 'ALL'
        | undefined;
      /** A tag name, compared without case */
      tag?: string | undefined;
      /** Substring of email, name or tag name, without case */
      query?: string | undefined;
      sort?: 'createdAt' | 'email' | undefined;
      order?: 'ASC' | 'DESC' | undefined;
      counts?: boolean | undefined;
      limit?: number | undefined;
      cursor?: string | undefined;
    };
    data: {
      subscribers: {
        id: string;
        email: string;
        name: string | null;
        phone: string | null;
        status:
          | 'PENDING_CONFIRMATION'
          | 'SUBSCRIBED'
          | 'UNSUBSCRIBED'
          | 'BOUNCED'
          | 'BANNED'
          | 'COMPLAINED'
          | 'TRANSACTIONAL';
        createdAt: string;
        updatedAt: string;
        tags: {
          id: string;
          name: string;
        }[];
        customFields: Record<string, string>;
        revenue: number;
        emailCount: number;
        openCount: number;
        clickCount: number;
      }[];
      total: number;
      totalIsMinimum?: true | undefined;
      counts?: Record<string, number> | undefined;
      countsAreMinimum?: true | undefined;
      nextCursor: string | null;
    };
  };
  /** Lists a subscriber's history by types, time and text, in either order. */
  search_subscriber_events: {
    input: {
      /** Subscriber id; required without email */
      subscriberId?: string | undefined;
      /** Email address; required without subscriberId */
      email?: string | undefined;
      eventTypes?: string[] | undefined;
      query?: string | undefined;
      from?: string | undefined;
      to?: string | undefined;
      order?: 'ASC' | 'DESC' | undefined;
      counts?: boolean | undefined;
      limit?: number | undefined;
      cursor?: string | undefined;
    };
    data: {
      events: {
        id: string;
        type: string;
        data: Record<string, unknown>;
        createdAt: string;
      }[];
      counts?: Record<string, number> | undefined;
      countsAreMinimum?: true | undefined;
      nextCursor: string | null;
    };
  };
  /** Lists segments with their filters, newest first. */
  list_segments: {
    input: {
      limit?: number | undefined;
    };
    data: {
      segments: {
        id: string;
        name: string;
        filters: {
          /** STRING, NUMBER, DATE, TAG, FIELD, SEGMENT, CAMPAIGN, WORKFLOW, EVENT, SYSTEM or GROUP */
          type: string;
          field?: string | undefined;
          operator?: string | undefined;
          [key: string]: unknown;
        }[];
        createdAt: string;
        updatedAt: string;
      }[];
      total: number;
    };
  };
  /** Returns a segment with its filters and the number of subscribers that match now. */
  get_segment: {
    input: {
      segmentId: string;
    };
    data: {
      segment: {
        id: string;
        name: string;
        filters: {
          /** STRING, NUMBER, DATE, TAG, FIELD, SEGMENT, CAMPAIGN, WORKFLOW, EVENT, SYSTEM or GROUP */
          type: string;
          field?: string | undefined;
          operator?: string | undefined;
          [key: string]: unknown;
        }[];
        createdAt: string;
        updatedAt: string;
      };
      segmentId: string;
      subscribersCount: number | null;
      warnings?: string[] | undefined;
    };
  };
  /** Creates a segment from a name and filters, which are combined with AND. */
  create_segment: {
    input: {
      name: string;
      filters?:
        | {
            /** STRING, NUMBER, DATE, TAG, FIELD, SEGMENT, CAMPAIGN, WORKFLOW, EVENT, SYSTEM or GROUP */
            type: string;
            field?: string | undefined;
            operator?: string | undefined;
            [key: string]: unknown;
          }[]
        | undefined;
    };
    data: {
      segment: {
        id: string;
        name: string;
        filters: {
          /** STRING, NUMBER, DATE, TAG, FIELD, SEGMENT, CAMPAIGN, WORKFLOW, EVENT, SYSTEM or GROUP */
          type: string;
          field?: string | undefined;
          operator?: string | undefined;
          [key: string]: unknown;
        }[];
        createdAt: string;
        updatedAt: string;
      };
      segmentId: string;
      subscribersCount: number;
    };
  };
  /** Updates the name or the filters of a segment; filters are replaced as a whole. */
  update_segment: {
    input: {
      segmentId: string;
      name?: string | undefined;
      filters?:
        | {
            /** STRING, NUMBER, DATE, TAG, FIELD, SEGMENT, CAMPAIGN, WORKFLOW, EVENT, SYSTEM or GROUP */
            type: string;
            field?: string | undefined;
            operator?: string | undefined;
            [key: string]: unknown;
          }[]
        | undefined;
    };
    data: {
      segment: {
        id: string;
        name: string;
        filters: {
          /** STRING, NUMBER, DATE, TAG, FIELD, SEGMENT, CAMPAIGN, WORKFLOW, EVENT, SYSTEM or GROUP */
          type: string;
          field?: string | undefined;
          operator?: string | undefined;
          [key: string]: unknown;
        }[];
        createdAt: string;
        updatedAt: string;
      };
      segmentId: string;
      subscribersCount: number | null;
      warnings?: string[] | undefined;
    };
  };
  /** Deletes a segment permanently. Its subscribers do not change. */
  delete_segment: {
    input: {
      segmentId: string;
    };
    data: {
      deleted: true;
    };
  };
  /** Copies a segment with all its filters. */
  duplicate_segment: {
    input: {
      segmentId: string;
      newName?: string | undefined;
    };
    data: {
      segment: {
        id: string;
        name: string;
        filters: {
          /** STRING, NUMBER, DATE, TAG, FIELD, SEGMENT, CAMPAIGN, WORKFLOW, EVENT, SYSTEM or GROUP */
          type: string;
          field?: string | undefined;
          operator?: string | undefined;
          [key: string]: unknown;
        }[];
        createdAt: string;
        updatedAt: string;
      };
      segmentId: string;
      subscribersCount: number | null;
      warnings?: string[] | undefined;
    };
  };
  /** Lists all filter types with their fields and operators, and the JSON Schema of each filter. */
  get_available_filters: {
    input: Record<string, never>;
    data: {
      filters: {
        type: string;
        fields: {
          field: string;
          label: string;
          operators: {
            operator: string;
            params: Record<string, unknown>;
            example: {
              /** STRING, NUMBER, DATE, TAG, FIELD, SEGMENT, CAMPAIGN, WORKFLOW, EVENT, SYSTEM or GROUP */
              type: string;
              field?: string | undefined;
              operator?: string | undefined;
              [key: string]: unknown;
            };
          }[];
        }[];
      }[];
      group: {
        depthMax: number;
        params: Record<string, unknown>;
        example: {
          /** STRING, NUMBER, DATE, TAG, FIELD, SEGMENT, CAMPAIGN, WORKFLOW, EVENT, SYSTEM or GROUP */
          type: string;
          field?: string | undefined;
          operator?: string | undefined;
          [key: string]: unknown;
        };
      };
    };
  };
  /** Returns the organization's key figures: subscribers by status, campaigns with their rates, and resources. */
  get_org_stats: {
    input: Record<string, never>;
    data: {
      subscribers: {
        total: number;
        byStatus: Record<string, number>;
      };
      campaigns: {
        total: number;
        byStatus: Record<string, number>;
        sent: number;
        averageOpenRate: number;
        averageClickRate: number;
      };
      resources: {
        tags: number;
        segments: number;
        workflows: number;
        snippets: number;
        customFields: number;
      };
    };
  };
  /** Returns subscriptions, unsubscriptions and net growth for each of the last days, in the organization's time zone. */
  get_subscriber_growth: {
    input: {
      days?: number | undefined;
    };
    data: {
      days: {
        subscribed: number;
        unsubscribed: number;
        net: number;
        date: string;
      }[];
      totals: {
        subscribed: number;
        unsubscribed: number;
        net: number;
      };
    };
  };
  /** Returns subscriber counts by status, growth over 7, 30 and 90 days, and engagement. */
  get_subscriber_stats: {
    input: Record<string, never>;
    data: {
      total: number;
      byStatus: Record<string, number>;
      growth: {
        '7d': {
          subscribed: number;
          unsubscribed: number;
          net: number;
        };
        '30d': {
          subscribed: number;
          unsubscribed: number;
          net: number;
        };
        '90d': {
          subscribed: number;
          unsubscribed: number;
          net: number;
        };
      };
      engagement: {
        engaged: {
          '30d': number;
          '90d': number;
          '180d': number;
        };
        everEngaged: number;
        everEmailed: number;
        neverEmailed: number;
      };
    };
  };
  /** Creates and updates up to 500 subscribers in one call. */
  import_subscribers: {
    input: {
      subscribers: unknown[];
      resubscribe?: boolean | undefined;
      triggerWorkflows?: boolean | undefined;
    };
    data: {
      imported: number;
      updated: number;
      failed: number;
      errors: {
        row: number;
        email: string | null;
        code: 'ROW_INVALID' | 'EMAIL_INVALID' | 'FIELD_RESERVED' | 'COUNTRY_UNKNOWN' | 'LIMIT_REACHED';
        message: string;
      }[];
      warnings?: string[] | undefined;
    };
  };
  /** Creates an import of a CSV file and returns the URL that receives the file. */
  create_subscriber_import: {
    input: {
      name?: string | undefined;
      delimiter?: ',' | ';' | '\t' | '|' | undefined;
      encoding?: 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252' | undefined;
    };
    data: {
      import: {
        id: string;
        name: string | null;
        state: 'NEW' | 'UPLOADING' | 'UPLOADED' | 'CHECKING' | 'CHECKED' | 'RUNNING' | 'DONE' | 'FAILED' | 'CANCELED';
        receivedBytes: number;
        /** Rows of the file without its header; null until a check has read it */
        rows: number | null;
        /** Rows that the current check or run has read */
        done: number;
        imported: number;
        updated: number;
        /** Rows that changed nothing, and rows that the mode leaves out */
        unchanged: number;
        failed: number;
        ratePerSecond: number | null;
        failure: string | null;
        /** CSV of the refused rows; requires no token */
        errorsUrl?: string | undefined;
        errorsUrlExpiresAt?: string | undefined;
        startedBy: {
          kind: string;
          id: string | null;
        } | null;
        createdAt: string;
        startedAt: string | null;
        finishedAt: string | null;
      };
      uploadUrl: string;
    };
  };
  /** Adds up to 2,000 rows to an import, for callers without a file. */
  add_rows_to_subscriber_import: {
    input: {
      importId: string;
      rows: Record<string, string | number | boolean | null>[];
    };
    data: {
      import: {
        id: string;
        name: string | null;
        state: 'NEW' | 'UPLOADING' | 'UPLOADED' | 'CHECKING' | 'CHECKED' | 'RUNNING' | 'DONE' | 'FAILED' | 'CANCELED';
        receivedBytes: number;
        /** Rows of the file without its header; null until a check has read it */
        rows: number | null;
        /** Rows that the current check or run has read */
        done: number;
        imported: number;
        updated: number;
        /** Rows that changed nothing, and rows that the mode leaves out */
        unchanged: number;
        failed: number;
        ratePerSecond: number | null;
        failure: string | null;
        /** CSV of the refused rows; requires no token */
        errorsUrl?: string | undefined;
        errorsUrlExpiresAt?: string | undefined;
        startedBy: {
          kind: string;
          id: string | null;
        } | null;
        createdAt: string;
        startedAt: string | null;
        finishedAt: string | null;
      };
    };
  };
  /** Starts a trial of an import that reads every row and changes no subscriber. */
  check_subscriber_import: {
    input: {
      importId: string;
      mapping?:
        | {
            /** A heading of the first row */
            column: string;
            to: 'email' | 'name' | 'phone' | 'country' | 'ipAddress' | 'tags' | 'status' | 'field';
            /** For to: field, the name of the custom field; without it the heading */
            field?: string | undefined;
            /** For to: field; default TEXT */
            type?: 'TEXT' | 'NUMBER' | 'DATE' | undefined;
            /** For DATE; without it the check infers it from all rows */
            format?: 'iso' | 'dmy' | 'mdy' | 'ymd' | 'unix' | undefined;
          }[]
        | undefined;
      options?:
        | {
            mode?: 'CREATE_AND_UPDATE' | 'CREATE_ONLY' | 'UPDATE_ONLY' | undefined;
            emptyCells?: 'KEEP' | 'CLEAR' | undefined;
            /** Tags for the subscriber of every row */
            tags?: string[] | undefined;
            resubscribe?: boolean | undefined;
            triggerWorkflows?: boolean | undefined;
          }
        | undefined;
    };
    data: {
      import: {
        id: string;
        name: string | null;
        state: 'NEW' | 'UPLOADING' | 'UPLOADED' | 'CHECKING' | 'CHECKED' | 'RUNNING' | 'DONE' | 'FAILED' | 'CANCELED';
        receivedBytes: number;
        /** Rows of the file without its header; null until a check has read it */
        rows: number | null;
        /** Rows that the current check or run has read */
        done: number;
        imported: number;
        updated: number;
        /** Rows that changed nothing, and rows that the mode leaves out */
        unchanged: number;
        failed: number;
        ratePerSecond: number | null;
        failure: string | null;
        /** CSV of the refused rows; requires no token */
        errorsUrl?: string | undefined;
        errorsUrlExpiresAt?: string | undefined;
        startedBy: {
          kind: string;
          id: string | null;
        } | null;
        createdAt: string;
        startedAt: string | null;
        finishedAt: string | null;
      };
    };
  };
  /** Starts an import that creates and updates the subscribers of its file. */
  start_subscriber_import: {
    input: {
      importId: string;
      mapping?:
        | {
            /** A heading of the first row */
            column: string;
            to: 'email' | 'name' | 'phone' | 'country' | 'ipAddress' | 'tags' | 'status' | 'field';
            /** For to: field, the name of the custom field; without it the heading */
            field?: string | undefined;
            /** For to: field; default TEXT */
            type?: 'TEXT' | 'NUMBER' | 'DATE' | undefined;
            /** For DATE; without it the check infers it from all rows */
            format?: 'iso' | 'dmy' | 'mdy' | 'ymd' | 'unix' | undefined;
          }[]
        | undefined;
      options?:
        | {
            mode?: 'CREATE_AND_UPDATE' | 'CREATE_ONLY' | 'UPDATE_ONLY' | undefined;
            emptyCells?: 'KEEP' | 'CLEAR' | undefined;
            /** Tags for the subscriber of every row */
            tags?: string[] | undefined;
            resubscribe?: boolean | undefined;
            triggerWorkflows?: boolean | undefined;
          }
        | undefined;
    };
    data: {
      import: {
        id: string;
        name: string | null;
        state: 'NEW' | 'UPLOADING' | 'UPLOADED' | 'CHECKING' | 'CHECKED' | 'RUNNING' | 'DONE' | 'FAILED' | 'CANCELED';
        receivedBytes: number;
        /** Rows of the file without its header; null until a check has read it */
        rows: number | null;
        /** Rows that the current check or run has read */
        done: number;
        imported: number;
        updated: number;
        /** Rows that changed nothing, and rows that the mode leaves out */
        unchanged: number;
        failed: number;
        ratePerSecond: number | null;
        failure: string | null;
        /** CSV of the refused rows; requires no token */
        errorsUrl?: string | undefined;
        errorsUrlExpiresAt?: string | undefined;
        startedBy: {
          kind: string;
          id: string | null;
        } | null;
        createdAt: string;
        startedAt: string | null;
        finishedAt: string | null;
      };
    };
  };
  /** Returns the state and counts of an import, with the result of its last check. */
  get_subscriber_import: {
    input: {
      importId: string;
    };
    data: {
      import: {
        id: string;
        name: string | null;
        state: 'NEW' | 'UPLOADING' | 'UPLOADED' | 'CHECKING' | 'CHECKED' | 'RUNNING' | 'DONE' | 'FAILED' | 'CANCELED';
        receivedBytes: number;
        /** Rows of the file without its header; null until a check has read it */
        rows: number | null;
        /** Rows that the current check or run has read */
        done: number;
        imported: number;
        updated: number;
        /** Rows that changed nothing, and rows that the mode leaves out */
        unchanged: number;
        failed: number;
        ratePerSecond: number | null;
        failure: string | null;
        /** CSV of the refused rows; requires no token */
        errorsUrl?: string | undefined;
        errorsUrlExpiresAt?: string | undefined;
        startedBy: {
          kind: string;
          id: string | null;
        } | null;
        createdAt: string;
        startedAt: string | null;
        finishedAt: string | null;
        check: {
          new: number;
          updated: number;
          unchanged: number;
          refused: Record<string, number>;
          samples: {
            line: number;
            email: string | null;
            subscriber?:
              | {
                  name?: (string | null) | undefined;
                  phone?: (string | null) | undefined;
                  country?: (string | null) | undefined;
                  ipAddress?: (string | null) | undefined;
                  fields: Record<string, string | null>;
                  tags: string[];
                }
              | undefined;
            code?:
              | 'EMAIL_INVALID'
              | 'EMAIL_MISSING'
              | 'ROW_INVALID'
              | 'FIELD_RESERVED'
              | 'COUNTRY_UNKNOWN'
              | 'NUMBER_INVALID'
              | 'DATE_INVALID'
              | 'STATUS_REFUSED'
              | 'LIMIT_REACHED'
              | undefined;
            message?: string | undefined;
          }[];
          /** Rows whose address an earlier row has, and the first such addresses with their lines */
          repeated?:
            | {
                rows: number;
                addresses: {
                  email: string;
                  lines: number[];
                  rows: number;
                }[];
              }
            | undefined;
          suggestions: {
            column: string;
            message: string;
            formats?: ('iso' | 'dmy' | 'mdy' | 'ymd' | 'unix')[] | undefined;
          }[];
          columns: string[];
          mapping: {
            /** A heading of the first row */
            column: string;
            to: 'email' | 'name' | 'phone' | 'country' | 'ipAddress' | 'tags' | 'status' | 'field';
            /** For to: field, the name of the custom field; without it the heading */
            field?: string | undefined;
            /** For to: field; default TEXT */
            type?: 'TEXT' | 'NUMBER' | 'DATE' | undefined;
            /** For DATE; without it the check infers it from all rows */
            format?: 'iso' | 'dmy' | 'mdy' | 'ymd' | 'unix' | undefined;
          }[];
          options: {
            mode: string;
            emptyCells: string;
            tags: string[];
            resubscribe: boolean;
            triggerWorkflows: boolean;
          };
          delimiter: string;
          encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';
        } | null;
        head?:
          | {
              columns: string[];
              /** What a check without a mapping infers, before it has read the rows */
              mapping: {
                /** A heading of the first row */
                column: string;
                to: 'email' | 'name' | 'phone' | 'country' | 'ipAddress' | 'tags' | 'status' | 'field';
                /** For to: field, the name of the custom field; without it the heading */
                field?: string | undefined;
                /** For to: field; default TEXT */
                type?: 'TEXT' | 'NUMBER' | 'DATE' | undefined;
                /** For DATE; without it the check infers it from all rows */
                format?: 'iso' | 'dmy' | 'mdy' | 'ymd' | 'unix' | undefined;
              }[];
              /** Cells of the first rows, each cut at 200 characters */
              rows: string[][];
            }
          | undefined;
      };
    };
  };
  /** Lists the imports of the last 7 days and the open ones, newest first. */
  list_subscriber_imports: {
    input: {
      limit?: number | undefined;
      cursor?: string | undefined;
    };
    data: {
      imports: {
        id: string;
        name: string | null;
        state: 'NEW' | 'UPLOADING' | 'UPLOADED' | 'CHECKING' | 'CHECKED' | 'RUNNING' | 'DONE' | 'FAILED' | 'CANCELED';
        receivedBytes: number;
        /** Rows of the file without its header; null until a check has read it */
        rows: number | null;
        /** Rows that the current check or run has read */
        done: number;
        imported: number;
        updated: number;
        /** Rows that changed nothing, and rows that the mode leaves out */
        unchanged: number;
        failed: number;
        ratePerSecond: number | null;
        failure: string | null;
        /** CSV of the refused rows; requires no token */
        errorsUrl?: string | undefined;
        errorsUrlExpiresAt?: string | undefined;
        startedBy: {
          kind: string;
          id: string | null;
        } | null;
        createdAt: string;
        startedAt: string | null;
        finishedAt: string | null;
      }[];
      nextCursor: string | null;
    };
  };
  /** Cancels an import. Rows that were imported stay. */
  cancel_subscriber_import: {
    input: {
      importId: string;
    };
    data: {
      import: {
        id: string;
        name: string | null;
        state: 'NEW' | 'UPLOADING' | 'UPLOADED' | 'CHECKING' | 'CHECKED' | 'RUNNING' | 'DONE' | 'FAILED' | 'CANCELED';
        receivedBytes: number;
        /** Rows of the file without its header; null until a check has read it */
        rows: number | null;
        /** Rows that the current check or run has read */
        done: number;
        imported: number;
        updated: number;
        /** Rows that changed nothing, and rows that the mode leaves out */
        unchanged: number;
        failed: number;
        ratePerSecond: number | null;
        failure: string | null;
        /** CSV of the refused rows; requires no token */
        errorsUrl?: string | undefined;
        errorsUrlExpiresAt?: string | undefined;
        startedBy: {
          kind: string;
          id: string | null;
        } | null;
        createdAt: string;
        startedAt: string | null;
        finishedAt: string | null;
      };
    };
  };
  /** Adds tags to up to 100 subscribers and creates missing tags. */
  bulk_add_tags: {
    input: {
      subscriberIds: string[];
      tagNames: string[];
    };
    data: {
      /** Pairs of subscriber and tag */
      added: number;
      /** Number of subscribers changed */
      subscribers: number;
      notFound: string[];
    };
  };
  /** Removes tags from up to 100 subscribers. */
  bulk_remove_tags: {
    input: {
      subscriberIds: string[];
      tagNames: string[];
    };
    data: {
      /** Pairs of subscriber and tag */
      removed: number;
      /** Number of subscribers changed */
      subscribers: number;
      notFound: string[];
    };
  };
  /** Records a payment or a refund of a subscriber. */
  create_event: {
    input: {
      /** Subscriber id; required without email */
      subscriberId?: string | undefined;
      /** Email address; required without subscriberId */
      email?: string | undefined;
      eventType: 'SUBSCRIBER_PAYMENT' | 'SUBSCRIBER_REFUND';
      /** In units of the currency, with two decimals */
      amount?: number | undefined;
      currency?: string | undefined;
      metadata?: Record<string, unknown> | undefined;
    };
    data: {
      event: {
        id: string;
        type: string;
        subscriberId: string;
        data: {
          amount: number;
          currency: string;
          metadata: Record<string, unknown>;
        };
        createdAt: string;
      };
      warnings?: string[] | undefined;
    };
  };
  /** Lists BOUNCED and COMPLAINED subscribers with the cause, most recently suppressed first. */
  list_suppressed_subscribers: {
    input: {
      status?: 'BOUNCED' | 'COMPLAINED' | undefined;
      page?: number | undefined;
      pageSize?: number | undefined;
    };
    data: {
      suppressed: {
        subscriber: {
          id: string;
          email: string;
          name: string | null;
          status:
            | 'PENDING_CONFIRMATION'
            | 'SUBSCRIBED'
            | 'UNSUBSCRIBED'
            | 'BOUNCED'
            | 'BANNED'
            | 'COMPLAINED'
            | 'TRANSACTIONAL';
        };
        event: {
          id: string;
          type: string;
          createdAt: string;
          bounceCategory: string | null;
          bounceType: string | null;
          reason: string | null;
          provider: string | null;
          complaintFeedbackType: string | null;
        } | null;
      }[];
      total: number;
      page: number;
      pageSize: number;
      pageCount: number;
    };
  };
  /** Reactivates a BOUNCED, COMPLAINED or UNSUBSCRIBED subscriber by setting its status to SUBSCRIBED. */
  reactivate_subscriber: {
    input: {
      subscriberId: string;
      force?: boolean | undefined;
    };
    data: {
      subscriber: {
        id: string;
        email: string;
        name: string | null;
        phone: string | null;
        status:
          | 'PENDING_CONFIRMATION'
          | 'SUBSCRIBED'
          | 'UNSUBSCRIBED'
          | 'BOUNCED'
          | 'BANNED'
          | 'COMPLAINED'
          | 'TRANSACTIONAL';
        createdAt: string;
        updatedAt: string;
        tags: {
          id: string;
          name: string;
        }[];
        customFields: Record<string, string>;
        revenue: number;
        emailCount: number;
        openCount: number;
        clickCount: number;
      };
    };
  };
  /** Lists the custom fields of the organization, by name. */
  get_custom_fields: {
    input: Record<string, never>;
    data: {
      customFields: {
        id: string;
        name: string;
      }[];
      total: number;
    };
  };
  /** Creates a custom field with no values. */
  create_custom_field: {
    input: {
      name: string;
    };
    data: {
      customField: {
        id: string;
        name: string;
      };
    };
  };
  /** Renames a custom field. Its values and references remain valid. */
  rename_custom_field: {
    input: {
      /** The id of a custom field, from get_custom_fields */
      fieldId: string;
      name: string;
    };
    data: {
      customField: {
        id: string;
        name: string;
      };
    };
  };
  /** Deletes a custom field and its values for all subscribers. */
  delete_custom_field: {
    input: {
      /** The id of a custom field, from get_custom_fields */
      fieldId: string;
    };
    data: {
      deleted: true;
      customField: {
        id: string;
        name: string;
      };
    };
  };
  /** Returns up to 10,000 subscribers at once as JSON or CSV, newest first. */
  export_subscribers: {
    input: {
      status?:
        | 'PENDING_CONFIRMATION'
        | 'SUBSCRIBED'
        | 'UNSUBSCRIBED'
        | 'BOUNCED'
        | 'BANNED'
        | 'COMPLAINED'
        | 'TRANSACTIONAL'
        | undefined;
      /** A tag name, compared without case */
      tag?: string | undefined;
      format?: 'json' | 'csv' | undefined;
      limit?: number | undefined;
    };
    data: {
      format: 'json' | 'csv';
      count: number;
      truncated: boolean;
      subscribers?:
        | {
            email: string;
            name: string | null;
            phone: string | null;
            status:
              | 'PENDING_CONFIRMATION'
              | 'SUBSCRIBED'
              | 'UNSUBSCRIBED'
              | 'BOUNCED'
              | 'BANNED'
              | 'COMPLAINED'
              | 'TRANSACTIONAL';
            tags: {
              id: string;
              name: string;
            }[];
            customFields: Record<string, string>;
            createdAt: string;
          }[]
        | undefined;
      csv?: string | undefined;
    };
  };
  /** Starts an export of any number of subscribers to a CSV file. */
  create_subscriber_export: {
    input: {
      filters?:
        | {
            /** STRING, NUMBER, DATE, TAG, FIELD, SEGMENT, CAMPAIGN, WORKFLOW, EVENT, SYSTEM or GROUP */
            type: string;
            field?: string | undefined;
            operator?: string | undefined;
            [key: string]: unknown;
          }[]
        | undefined;
      /** Substring of email, name or tag name, without case */
      query?: string | undefined;
      status?:
        | 'ALL'
        | 'PENDING_CONFIRMATION'
        | 'SUBSCRIBED'
        | 'UNSUBSCRIBED'
        | 'BOUNCED'
        | 'BANNED'
        | 'COMPLAINED'
        | 'TRANSACTIONAL'
        | undefined;
      /** A tag name, compared without case */
      tag?: string | undefined;
      fields?: ('email' | 'name' | 'phone' | 'status' | 'tags' | 'customFields' | 'createdAt')[] | undefined;
    };
    data: {
      exportId: string;
      status: 'QUEUED' | 'RUNNING' | 'DONE' | 'FAILED';
    };
  };
  /** Returns the status of an export and, once it is DONE, its download URL. */
  get_subscriber_export: {
    input: {
      exportId: string;
    };
    data: {
      exportId: string;
      status: 'QUEUED' | 'RUNNING' | 'DONE' | 'FAILED';
      /** Number of subscribers written so far */
      rows: number;
      progress: number;
      createdAt: string;
      failure?: string | undefined;
      /** Requires no token */
      downloadUrl?: string | undefined;
      /** Expiry of downloadUrl; another call returns a new URL */
      expiresAt?: string | undefined;
    };
  };
  /** Lists the 10 most recent exports, newest first. */
  list_subscriber_exports: {
    input: Record<string, never>;
    data: {
      exports: {
        exportId: string;
        status: 'QUEUED' | 'RUNNING' | 'DONE' | 'FAILED';
        /** Number of subscribers written so far */
        rows: number;
        progress: number;
        createdAt: string;
        failure?: string | undefined;
        /** Requires no token */
        downloadUrl?: string | undefined;
        /** Expiry of downloadUrl; another call returns a new URL */
        expiresAt?: string | undefined;
      }[];
    };
  };
  /** Lists campaigns by page, newest first. ARCHIVED campaigns are listed only if status requests them. */
  list_campaigns: {
    input: {
      limit?: number | undefined;
      page?: number | undefined;
      status?: 'DRAFT' | 'SCHEDULED' | 'SENDING' | 'SENT' | 'ARCHIVED' | 'FAILED' | undefined;
      /** Substring of name or subject, without case */
      query?: string | undefined;
    };
    data: {
      campaigns: {
        id: string;
        name: string;
        subject: string;
        preview: string | null;
        contentType: 'MAILY' | 'PLATE' | 'MARKDOWN';
        senderId: string | null;
        replyTo: string | null;
        status: 'DRAFT' | 'SCHEDULED' | 'SENDING' | 'SENT' | 'ARCHIVED' | 'FAILED';
        scheduledAt: string | null;
        timezone: string | null;
        startedAt: string | null;
        finishedAt: string | null;
        failure: string | null;
        createdAt: string;
        updatedAt: string;
      }[];
      total: number;
      page: number;
      limit: number;
      pageCount: number;
    };
  };
  /** Creates a DRAFT campaign without sending it. */
  create_campaign: {
    input: {
      subject: string;
      name?: string | undefined;
      preview?: (string | null) | undefined;
      content?: unknown | undefined;
      contentType?: 'MAILY' | 'PLATE' | 'MARKDOWN' | undefined;
      senderId?: string | undefined;
      replyTo?: (string | '' | string[] | null) | undefined;
    };
    data: {
      campaign: {
        id: string;
        name: string;
        subject: string;
        preview: string | null;
        contentType: 'MAILY' | 'PLATE' | 'MARKDOWN';
        senderId: string | null;
        replyTo: string | null;
        status: 'DRAFT' | 'SCHEDULED' | 'SENDING' | 'SENT' | 'ARCHIVED' | 'FAILED';
        scheduledAt: string | null;
        timezone: string | null;
        startedAt: string | null;
        finishedAt: string | null;
        failure: string | null;
        createdAt: string;
        updatedAt: string;
        /** A document object, or text for MARKDOWN */
        content: unknown;
        sender: {
          id: string;
          name: string;
          email: string;
        } | null;
        recipientFilters: {
          /** STRING, NUMBER, DATE, TAG, FIELD, SEGMENT, CAMPAIGN, WORKFLOW, EVENT, SYSTEM or GROUP */
          type: string;
          field?: string | undefined;
          operator?: string | undefined;
          [key: string]: unknown;
        }[];
      };
      campaignId: string;
      warnings?:
        | {
            code: string;
            message: string;
            path?: (string | number)[] | undefined;
          }[]
        | undefined;
    };
  };
  /** Returns a campaign with content, sender, reply address and recipient filters. */
  get_campaign: {
    input: {
      campaignId: string;
    };
    data: {
      campaign: {
        id: string;
        name: string;
        subject: string;
        preview: string | null;
        contentType: 'MAILY' | 'PLATE' | 'MARKDOWN';
        senderId: string | null;
        replyTo: string | null;
        status: 'DRAFT' | 'SCHEDULED' | 'SENDING' | 'SENT' | 'ARCHIVED' | 'FAILED';
        scheduledAt: string | null;
        timezone: string | null;
        startedAt: string | null;
        finishedAt: string | null;
        failure: string | null;
        createdAt: string;
        updatedAt: string;
        /** A document object, or text for MARKDOWN */
        content: unknown;
        sender: {
          id: string;
          name: string;
          email: string;
        } | null;
        recipientFilters: {
          /** STRING, NUMBER, DATE, TAG, FIELD, SEGMENT, CAMPAIGN, WORKFLOW, EVENT, SYSTEM or GROUP */
          type: string;
          field?: string | undefined;
          operator?: string | undefined;
          [key: string]: unknown;
        }[];
      };
      campaignId: string;
      senderId: string | null;
      sender: {
        id: string;
        name: string;
        email: string;
      } | null;
      replyTo: string | null;
      recipientFilters: {
        /** STRING, NUMBER, DATE, TAG, FIELD, SEGMENT, CAMPAIGN, WORKFLOW, EVENT, SYSTEM or GROUP */
        type: string;
        field?: string | undefined;
        operator?: string | undefined;
        [key: string]: unknown;
      }[];
      /** A document object, or text for MARKDOWN */
      content: unknown;
      preview: string | null;
      contentType: 'MAILY' | 'PLATE' | 'MARKDOWN';
    };
  };
  /** Updates the metadata of a DRAFT campaign, and its content as a whole (content) or by single edits (operations). */
  edit_campaign: {
    input: {
      id: string;
      name?: string | undefined;
      subject?: string | undefined;
      preview?: (string | null) | undefined;
      content?: unknown | undefined;
      operations?:
        | {
            op: 'replace_text' | 'insert_node' | 'append_node' | 'prepend_node' | 'remove_node' | 'replace_node';
            search?: string | undefined;
            [key: string]: unknown;
          }[]
        | undefined;
      senderId?: string | undefined;
      replyTo?: (string | '' | string[] | null) | undefined;
      contentType?: 'MAILY' | 'PLATE' | 'MARKDOWN' | undefined;
    };
    data: {
      campaign: {
        id: string;
        name: string;
        subject: string;
        preview: string | null;
        contentType: 'MAILY' | 'PLATE' | 'MARKDOWN';
        senderId: string | null;
        replyTo: string | null;
        status: 'DRAFT' | 'SCHEDULED' | 'SENDING' | 'SENT' | 'ARCHIVED' | 'FAILED';
        scheduledAt: string | null;
        timezone: string | null;
        startedAt: string | null;
        finishedAt: string | null;
        failure: string | null;
        createdAt: string;
        updatedAt: string;
        /** A document object, or text for MARKDOWN */
        content: unknown;
        sender: {
          id: string;
          name: string;
          email: string;
        } | null;
        recipientFilters: {
          /** STRING, NUMBER, DATE, TAG, FIELD, SEGMENT, CAMPAIGN, WORKFLOW, EVENT, SYSTEM or GROUP */
          type: string;
          field?: string | undefined;
          operator?: string | undefined;
          [key: string]: unknown;
        }[];
      };
      campaignId: string;
      operations?:
        | {
            op: string;
            matched: number;
          }[]
        | undefined;
      warnings?:
        | {
            code: string;
            message: string;
            path?: (string | number)[] | undefined;
          }[]
        | undefined;
    };
  };
  /** Replaces the recipient filters of a DRAFT campaign and returns how many subscribers match. Filters are combined with AND. */
  update_campaign_filters: {
    input: {
      campaignId: string;
      filters: {
        /** STRING, NUMBER, DATE, TAG, FIELD, SEGMENT, CAMPAIGN, WORKFLOW, EVENT, SYSTEM or GROUP */
        type: string;
        field?: string | undefined;
        operator?: string | undefined;
        [key: string]: unknown;
      }[];
    };
    data: {
      campaign: {
        id: string;
        name: string;
        subject: string;
        preview: string | null;
        contentType: 'MAILY' | 'PLATE' | 'MARKDOWN';
        senderId: string | null;
        replyTo: string | null;
        status: 'DRAFT' | 'SCHEDULED' | 'SENDING' | 'SENT' | 'ARCHIVED' | 'FAILED';
        scheduledAt: string | null;
        timezone: string | null;
        startedAt: string | null;
        finishedAt: string | null;
        failure: string | null;
        createdAt: string;
        updatedAt: string;
        /** A document object, or text for MARKDOWN */
        content: unknown;
        sender: {
          id: string;
          name: string;
          email: string;
        } | null;
        recipientFilters: {
          /** STRING, NUMBER, DATE, TAG, FIELD, SEGMENT, CAMPAIGN, WORKFLOW, EVENT, SYSTEM or GROUP */
          type: string;
          field?: string | undefined;
          operator?: string | undefined;
          [key: string]: unknown;
        }[];
      };
      campaignId: string;
      recipientCount: number;
    };
  };
  /** Renders the final output of a campaign with snippets, variables and footer. Nothing is sent. */
  render_campaign: {
    input: {
      campaignId: string;
      /** Subscriber id. Use get_subscriber to find it by email. */
      subscriberId?: string | undefined;
      format?: 'html' | 'text' | 'both' | undefined;
    };
    data: {
      subject: string;
      preview: string | null;
      html?: string | undefined;
      text?: string | undefined;
      warnings: {
        code: string;
        message: string;
        path?: (string | number)[] | undefined;
      }[];
    };
  };
  /** Sends a test copy of a campaign's current content to one to five addresses. */
  send_test_email: {
    input: {
      campaignId: string;
      emails: string[];
    };
    data: {
      results: {
        email: string;
        status: 'QUEUED' | 'REFUSED';
        messageId: string | null;
        error?: string | undefined;
      }[];
      renderedFor: {
        id: string;
        email: string;
      } | null;
    };
  };
  /** Schedules a DRAFT campaign, or sends it now if no date is given. */
  schedule_campaign: {
    input: {
      campaignId: string;
      date?: string | undefined;
      hours?: number | undefined;
      minutes?: number | undefined;
      timezone?: string | undefined;
    };
    data: {
      campaign: {
        id: string;
        name: string;
        subject: string;
        preview: string | null;
        contentType: 'MAILY' | 'PLATE' | 'MARKDOWN';
        senderId: string | null;
        replyTo: string | null;
        status: 'DRAFT' | 'SCHEDULED' | 'SENDING' | 'SENT' | 'ARCHIVED' | 'FAILED';
        scheduledAt: string | null;
        timezone: string | null;
        startedAt: string | null;
        finishedAt: string | null;
        failure: string | null;
        createdAt: string;
        updatedAt: string;
        /** A document object, or text for MARKDOWN */
        content: unknown;
        sender: {
          id: string;
          name: string;
          email: string;
        } | null;
        recipientFilters: {
          /** STRING, NUMBER, DATE, TAG, FIELD, SEGMENT, CAMPAIGN, WORKFLOW, EVENT, SYSTEM or GROUP */
          type: string;
          field?: string | undefined;
          operator?: string | undefined;
          [key: string]: unknown;
        }[];
      };
      campaignId: string;
      scheduledAt: string;
      timezone: string;
      recipientCount: number;
      warnings?: string[] | undefined;
    };
  };
  /** Cancels the schedule of a SCHEDULED campaign and returns it to DRAFT. */
  cancel_campaign_schedule: {
    input: {
      campaignId: string;
    };
    data: {
      campaign: {
        id: string;
        name: string;
        subject: string;
        preview: string | null;
        contentType: 'MAILY' | 'PLATE' | 'MARKDOWN';
        senderId: string | null;
        replyTo: string | null;
        status: 'DRAFT' | 'SCHEDULED' | 'SENDING' | 'SENT' | 'ARCHIVED' | 'FAILED';
        scheduledAt: string | null;
        timezone: string | null;
        startedAt: string | null;
        finishedAt: string | null;
        failure: string | null;
        createdAt: string;
        updatedAt: string;
        /** A document object, or text for MARKDOWN */
        content: unknown;
        sender: {
          id: string;
          name: string;
          email: string;
        } | null;
        recipientFilters: {
          /** STRING, NUMBER, DATE, TAG, FIELD, SEGMENT, CAMPAIGN, WORKFLOW, EVENT, SYSTEM or GROUP */
          type: string;
          field?: string | undefined;
          operator?: string | undefined;
          [key: string]: unknown;
        }[];
      };
      campaignId: string;
    };
  };
  /** Returns the progress of a campaign: messages sent, failed, in doubt and pending, and recipients skipped by reason. */
  get_campaign_progress: {
    input: {
      campaignId: string;
    };
    data: {
      campaignId: string;
      status: 'DRAFT' | 'SCHEDULED' | 'SENDING' | 'SENT' | 'ARCHIVED' | 'FAILED';
      total: number;
      pending: number;
      deferred: number;
      sent: number;
      delivered: number;
      bounced: number;
      failed: number;
      skipped: Record<string, number>;
      inDoubt: number;
      percent: number;
      paused: boolean;
      pausedReason: string | null;
      /** Why no message is being sent at the moment; null if sending is not blocked */
      waitingFor: string | null;
      startedAt: string | null;
      finishedAt: string | null;
      ratePerSecond: number;
    };
  };
  /** Copies a campaign in any state to a new DRAFT, with content, sender, reply address and filters. */
  duplicate_campaign: {
    input: {
      campaignId: string;
      newName?: string | undefined;
    };
    data: {
      campaign: {
        id: string;
        name: string;
        subject: string;
        preview: string | null;
        contentType: 'MAILY' | 'PLATE' | 'MARKDOWN';
        senderId: string | null;
        replyTo: string | null;
        status: 'DRAFT' | 'SCHEDULED' | 'SENDING' | 'SENT' | 'ARCHIVED' | 'FAILED';
        scheduledAt: string | null;
        timezone: string | null;
        startedAt: string | null;
        finishedAt: string | null;
        failure: string | null;
        createdAt: string;
        updatedAt: string;
        /** A document object, or text for MARKDOWN */
        content: unknown;
        sender: {
          id: string;
          name: string;
          email: string;
        } | null;
        recipientFilters: {
          /** STRING, NUMBER, DATE, TAG, FIELD, SEGMENT, CAMPAIGN, WORKFLOW, EVENT, SYSTEM or GROUP */
          type: string;
          field?: string | undefined;
          operator?: string | undefined;
          [key: string]: unknown;
        }[];
      };
      campaignId: string;
    };
  };
  /** Archives a DRAFT campaign. It is hidden from lists and cannot be changed or scheduled until it is unarchived. */
  archive_campaign: {
    input: {
      campaignId: string;
    };
    data: {
      campaign: {
        id: string;
        name: string;
        subject: string;
        preview: string | null;
        contentType: 'MAILY' | 'PLATE' | 'MARKDOWN';
        senderId: string | null;
        replyTo: string | null;
        status: 'DRAFT' | 'SCHEDULED' | 'SENDING' | 'SENT' | 'ARCHIVED' | 'FAILED';
        scheduledAt: string | null;
        timezone: string | null;
        startedAt: string | null;
        finishedAt: string | null;
        failure: string | null;
        createdAt: string;
        updatedAt: string;
        /** A document object, or text for MARKDOWN */
        content: unknown;
        sender: {
          id: string;
          name: string;
          email: string;
        } | null;
        recipientFilters: {
          /** STRING, NUMBER, DATE, TAG, FIELD, SEGMENT, CAMPAIGN, WORKFLOW, EVENT, SYSTEM or GROUP */
          type: string;
          field?: string | undefined;
          operator?: string | undefined;
          [key: string]: unknown;
        }[];
      };
      campaignId: string;
    };
  };
  /** Returns an ARCHIVED campaign to DRAFT. */
  unarchive_campaign: {
    input: {
      campaignId: string;
    };
    data: {
      campaign: {
        id: string;
        name: string;
        subject: string;
        preview: string | null;
        contentType: 'MAILY' | 'PLATE' | 'MARKDOWN';
        senderId: string | null;
        replyTo: string | null;
        status: 'DRAFT' | 'SCHEDULED' | 'SENDING' | 'SENT' | 'ARCHIVED' | 'FAILED';
        scheduledAt: string | null;
        timezone: string | null;
        startedAt: string | null;
        finishedAt: string | null;
        failure: string | null;
        createdAt: string;
        updatedAt: string;
        /** A document object, or text for MARKDOWN */
        content: unknown;
        sender: {
          id: string;
          name: string;
          email: string;
        } | null;
        recipientFilters: {
          /** STRING, NUMBER, DATE, TAG, FIELD, SEGMENT, CAMPAIGN, WORKFLOW, EVENT, SYSTEM or GROUP */
          type: string;
          field?: string | undefined;
          operator?: string | undefined;
          [key: string]: unknown;
        }[];
      };
      campaignId: string;
    };
  };
  /** Lists the saved states of a campaign, newest first. Each entry holds the state after that save. */
  list_campaign_history: {
    input: {
      campaignId: string;
      /** nextCursor of the previous page: the id of its last entry */
      cursor?: string | undefined;
      limit?: number | undefined;
    };
    data: {
      entries: {
        id: string;
        savedAt: string;
        source: 'autosave' | 'manual' | 'ai';
        subject: string;
      }[];
      nextCursor: string | null;
    };
  };
  /** Returns one entry of a campaign's history with its full content. */
  get_campaign_history_entry: {
    input: {
      campaignId: string;
      /** The id of an entry, from list_campaign_history */
      historyId: string;
    };
    data: {
      entry: {
        id: string;
        savedAt: string;
        source: 'autosave' | 'manual' | 'ai';
        subject: string;
        contentType: 'MAILY' | 'PLATE' | 'MARKDOWN';
        /** A document object, or text for MARKDOWN */
        content: unknown;
      };
    };
  };
  /** Restores subject and content of a history entry and adds a new entry. The status does not change. */
  restore_campaign_history: {
    input: {
      campaignId: string;
      /** The id of an entry, from list_campaign_history */
      historyId: string;
    };
    data: {
      campaign: {
        id: string;
        name: string;
        subject: string;
        preview: string | null;
        contentType: 'MAILY' | 'PLATE' | 'MARKDOWN';
        senderId: string | null;
        replyTo: string | null;
        status: 'DRAFT' | 'SCHEDULED' | 'SENDING' | 'SENT' | 'ARCHIVED' | 'FAILED';
        scheduledAt: string | null;
        timezone: string | null;
        startedAt: string | null;
        finishedAt: string | null;
        failure: string | null;
        createdAt: string;
        updatedAt: string;
        /** A document object, or text for MARKDOWN */
        content: unknown;
        sender: {
          id: string;
          name: string;
          email: string;
        } | null;
        recipientFilters: {
          /** STRING, NUMBER, DATE, TAG, FIELD, SEGMENT, CAMPAIGN, WORKFLOW, EVENT, SYSTEM or GROUP */
          type: string;
          field?: string | undefined;
          operator?: string | undefined;
          [key: string]: unknown;
        }[];
      };
      campaignId: string;
      warnings?:
        | {
            code: string;
            message: string;
            path?: (string | number)[] | undefined;
          }[]
        | undefined;
    };
  };
  /** Returns a campaign's results: deliveries, opens, clicks by link and hour, unsubscriptions and bounces. */
  get_campaign_analytics: {
    input: {
      campaignId: string;
    };
    data: {
      sent: number;
      delivered: number;
      opens: {
        unique: number;
        total: number;
        rate: number;
        machine: number;
      };
      clicks: {
        unique: number;
        total: number;
        rate: number;
      };
      unsubscribed: number;
      bounced: {
        hard: number;
        soft: number;
      };
      complained: number;
      links: {
        url: string;
        unique: number;
        total: number;
      }[];
      timeline: {
        hour: string;
        opens: number;
        clicks: number;
      }[];
    };
  };
  /** Pauses a SENDING campaign. Within a second, no further delivery attempt starts. */
  pause_campaign: {
    input: {
      campaignId: string;
    };
    data: {
      campaignId: string;
      paused: boolean;
    };
  };
  /** Resumes a paused campaign where it stopped. No recipient receives it twice. */
  resume_campaign: {
    input: {
      campaignId: string;
    };
    data: {
      campaignId: string;
      paused: boolean;
    };
  };
  /** Retries the recipients of a campaign whose mail was refused temporarily or could not be rendered. */
  retry_campaign: {
    input: {
      campaignId: string;
      inDoubt?: boolean | undefined;
    };
    data: {
      campaignId: string;
      status: string;
      retried: number;
      inDoubt: number;
    };
  };
  /** Lists the recipients of a campaign with outcome, reason and the mail server’s reply, by cursor. */
  list_campaign_recipients: {
    input: {
      campaignId: string;
      statuses?:
        | ('PENDING' | 'SENT' | 'DELIVERED' | 'BOUNCED' | 'COMPLAINED' | 'FAILED' | 'SKIPPED' | 'IN_DOUBT')[]
        | undefined;
      /** A reason as counts has it, such as MAILBOX_FULL */
      reason?: string | undefined;
      /** Substring of the address, without case */
      query?: string | undefined;
      /** nextCursor of the previous page */
      cursor?: string | undefined;
      limit?: number | undefined;
    };
    data: {
      recipients: {
        subscriberId: string;
        email: string;
        messageId: string;
        status: 'PENDING' | 'SENT' | 'DELIVERED' | 'BOUNCED' | 'COMPLAINED' | 'FAILED' | 'SKIPPED' | 'IN_DOUBT';
        reason: string | null;
        response: string | null;
        attempts: number;
        canRetry: 'YES' | 'NO' | 'IF_ASKED';
        sentAt: string | null;
        deliveredAt: string | null;
        openedAt: string | null;
        clickedAt: string | null;
      }[];
      counts: Record<string, Record<string, number>> | null;
      pending: number;
      nextCursor: string | null;
    };
  };
  /** Stops a SENDING campaign for ever and skips its remaining recipients with the reason STOPPED. */
  stop_campaign: {
    input: {
      campaignId: string;
    };
    data: {
      campaignId: string;
      paused: boolean;
    };
  };
  /** Saves a DRAFT campaign while its author writes. Omitted fields keep their values. */
  autosave_campaign: {
    input: {
      id: string;
      name?: string | undefined;
      subject?: string | undefined;
      preview?: (string | null) | undefined;
      content?: unknown | undefined;
      contentType?: 'MAILY' | 'PLATE' | 'MARKDOWN' | undefined;
    };
    data: {
      campaignId: string;
      updatedAt: string;
      warnings?:
        | {
            code: string;
            message: string;
            path?: (string | number)[] | undefined;
          }[]
        | undefined;
    };
  };
  /** Deletes a DRAFT campaign with its history. */
  delete_campaign: {
    input: {
      campaignId: string;
    };
    data: {
      campaignId: string;
    };
  };
  /** Searches campaigns by status and text and returns them with their results, sorted, by cursor. */
  search_campaigns: {
    input: {
      /** Substring of name or subject, without case */
      query?: string | undefined;
      statuses?: ('DRAFT' | 'SCHEDULED' | 'SENDING' | 'SENT' | 'ARCHIVED' | 'FAILED')[] | undefined;
      sort?: 'createdAt' | 'updatedAt' | 'scheduledAt' | 'startedAt' | 'name' | 'sent' | 'opened' | undefined;
      order?: 'ASC' | 'DESC' | undefined;
      /** nextCursor of the previous page, with the same sort and order */
      cursor?: string | undefined;
      limit?: number | undefined;
    };
    data: {
      campaigns: {
        id: string;
        name: string;
        subject: string;
        preview: string | null;
        contentType: 'MAILY' | 'PLATE' | 'MARKDOWN';
        senderId: string | null;
        replyTo: string | null;
        status: 'DRAFT' | 'SCHEDULED' | 'SENDING' | 'SENT' | 'ARCHIVED' | 'FAILED';
        scheduledAt: string | null;
        timezone: string | null;
        startedAt: string | null;
        finishedAt: string | null;
        failure: string | null;
        createdAt: string;
        updatedAt: string;
        recipientCount: number | null;
        results: {
          sent: number;
          delivered: number;
          opened: number;
          clicked: number;
          unsubscribed: number;
          bounced: number;
          complained: number;
        };
      }[];
      total: number;
      counts: Record<string, number>;
      nextCursor: string | null;
    };
  };
  /** Returns a campaign's results by hour or day in the organization's time zone, with zeros for gaps. */
  get_campaign_series: {
    input: {
      campaignId: string;
      interval: 'HOUR' | 'DAY';
      from?: string | undefined;
      to?: string | undefined;
    };
    data: {
      points: {
        at: string;
        sent: number;
        delivered: number;
        bounced: number;
        complained: number;
        unsubscribed: number;
        opens: number;
        uniqueOpens: number;
        clicks: number;
        uniqueClicks: number;
      }[];
      timezone: string;
    };
  };
  /** Returns what a send of a campaign would do: its recipients, the excluded subscribers by reason, and problems. */
  preview_send: {
    input: {
      campaignId: string;
      examples?: number | undefined;
    };
    data: {
      /** The sentence that schedule_campaign asks to confirm */
      message: string;
      recipientCount: number;
      excluded: {
        reason: string;
        count: number;
        examples: {
          subscriberId: string;
          email: string;
        }[];
      }[];
      waves: {
        at: string;
        count: number;
      }[];
      relays: {
        relayId: string;
        count: number;
        days: {
          date: string;
          count: number;
        }[];
      }[];
      destinations: {
        domains: {
          domain: string;
          count: number;
        }[];
        total: number;
      };
      duration: {
        seconds: number | null;
        ratePerSecond: number | null;
      };
      warnings: {
        code: string;
        message: string;
      }[];
    };
  };
  /** Lists the snippets (content shared by several campaigns), by name. */
  get_email_snippets: {
    input: {
      includeArchived?: boolean | undefined;
    };
    data: {
      snippets: {
        id: string;
        name: string;
        description: string | null;
        archived: boolean;
        /** How text refers to the snippet, such as {{snippet:Signature}} */
        variable: string;
        createdAt: string;
        updatedAt: string;
      }[];
      total: number;
    };
  };
  /** Returns a snippet with its full content and the campaigns that contain it. */
  get_email_snippet: {
    input: {
      /** The id of a snippet, snp_… */
      id: string;
    };
    data: {
      snippet: {
        id: string;
        name: string;
        description: string | null;
        archived: boolean;
        /** How text refers to the snippet, such as {{snippet:Signature}} */
        variable: string;
        createdAt: string;
        updatedAt: string;
        /** A document object */
        content: unknown;
      };
      snippetId: string;
      /** Ids of the campaigns that contain it, newest first, at most 1,000 */
      usedBy: string[];
    };
  };
  /** Creates a snippet. Campaigns include it with a snippet node or {{snippet:NAME}}. */
  create_email_snippet: {
    input: {
      name: string;
      description?: string | undefined;
      /** A document object or its JSON text; omit for an empty one */
      content?: unknown | undefined;
    };
    data: {
      snippet: {
        id: string;
        name: string;
        description: string | null;
        archived: boolean;
        /** How text refers to the snippet, such as {{snippet:Signature}} */
        variable: string;
        createdAt: string;
        updatedAt: string;
        /** A document object */
        content: unknown;
      };
      snippetId: string;
      warnings?:
        | {
            code: string;
            message: string;
            path?: (string | number)[] | undefined;
          }[]
        | undefined;
    };
  };
  /** Updates a snippet. content replaces the whole content, also in campaigns that are not sent yet. */
  update_email_snippet: {
    input: {
      /** The id of a snippet, snp_… */
      id: string;
      name?: string | undefined;
      description?: string | undefined;
      /** A document object or its JSON text; omit for an empty one */
      content?: unknown | undefined;
    };
    data: {
      snippet: {
        id: string;
        name: string;
        description: string | null;
        archived: boolean;
        /** How text refers to the snippet, such as {{snippet:Signature}} */
        variable: string;
        createdAt: string;
        updatedAt: string;
        /** A document object */
        content: unknown;
      };
      snippetId: string;
      /** Ids of the campaigns that contain it, newest first, at most 1,000 */
      usedBy: string[];
      warnings?:
        | {
            code: string;
            message: string;
            path?: (string | number)[] | undefined;
          }[]
        | undefined;
    };
  };
  /** Archives a snippet and hides it from the list. Campaigns that contain it keep working. */
  archive_email_snippet: {
    input: {
      /** The id of a snippet, snp_… */
      id: string;
    };
    data: {
      snippet: {
        id: string;
        name: string;
        description: string | null;
        archived: boolean;
        /** How text refers to the snippet, such as {{snippet:Signature}} */
        variable: string;
        createdAt: string;
        updatedAt: string;
        /** A document object */
        content: unknown;
      };
      snippetId: string;
    };
  };
  /** Restores an archived snippet to the list. */
  unarchive_email_snippet: {
    input: {
      /** The id of a snippet, snp_… */
      id: string;
    };
    data: {
      snippet: {
        id: string;
        name: string;
        description: string | null;
        archived: boolean;
        /** How text refers to the snippet, such as {{snippet:Signature}} */
        variable: string;
        createdAt: string;
        updatedAt: string;
        /** A document object */
        content: unknown;
      };
      snippetId: string;
    };
  };
  /** Returns the organization's writing style: persona, audience, vocabulary and rules. Read it before writing. */
  get_writing_style: {
    input: Record<string, never>;
    data: {
      writingStyle: {
        name: string;
        persona: string;
        audience: string;
        vocabulary: string;
        rules: string;
      };
    };
  };
  /** Updates the organization's writing style. */
  update_writing_style: {
    input: {
      name?: string | undefined;
      /** The voice and tone of the text */
      persona?: string | undefined;
      /** The readers, and their prior knowledge */
      audience?: string | undefined;
      /** Words to use and words to avoid */
      vocabulary?: string | undefined;
      /** Further rules: length, greetings, emoji … */
      rules?: string | undefined;
    };
    data: {
      writingStyle: {
        name: string;
        persona: string;
        audience: string;
        vocabulary: string;
        rules: string;
      };
    };
  };
  /** Lists the variables available in content, subject and preview, with their syntax. */
  get_available_variables: {
    input: Record<string, never>;
    data: {
      variables: {
        name: string;
        syntax: string;
        group: 'built-in' | 'organization' | 'custom-field' | 'snippet' | 'link';
        description: string;
        example: string;
      }[];
      total: number;
    };
  };
  /** Returns documentation for a task, with calls that work as shown. Type docs without page returns the catalogue of all pages. */
  get_skill: {
    input: {
      type:
        | 'campaign'
        | 'snippets'
        | 'templates'
        | 'variables'
        | 'copywriter'
        | 'filters'
        | 'images'
        | 'sending'
        | 'workflow'
        | 'onboarding'
        | 'docs';
      page?: string | undefined;
    };
    data: {
      type:
        | 'campaign'
        | 'snippets'
        | 'templates'
        | 'variables'
        | 'copywriter'
        | 'filters'
        | 'images'
        | 'sending'
        | 'workflow'
        | 'onboarding'
        | 'docs';
      title: string;
      /** The page; absent in the catalogue */
      markdown?: string | undefined;
      /** The catalogue, for type docs without page */
      pages?:
        | {
            slug: string;
            title: string;
            summary: string;
          }[]
        | undefined;
    };
  };
  /** Fetches an image from a public address and hosts it for use in mail. */
  upload_image: {
    input: {
      url: string;
      name?: string | undefined;
      description?: string | undefined;
    };
    data: {
      image: {
        id: string;
        /** Public address; for the src of an image block */
        url: string;
        name: string;
        description: string | null;
        width: number;
        height: number;
        bytes: number;
        contentType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
        createdAt: string;
      };
      imageId: string;
    };
  };
  /** Hosts an image for use in mail from the bytes of a file. */
  upload_image_file: {
    input: {
      content: string;
      /** Name of the image, such as that of the file */
      name: string;
      description?: string | undefined;
    };
    data: {
      image: {
        id: string;
        /** Public address; for the src of an image block */
        url: string;
        name: string;
        description: string | null;
        width: number;
        height: number;
        bytes: number;
        contentType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
        createdAt: string;
      };
      imageId: string;
    };
  };
  /** Lists hosted images by page, newest first. */
  list_images: {
    input: {
      /** Substring of name or description, without case */
      query?: string | undefined;
      /** Only images of this capture page; without capture pages there are none */
      capturePageId?: string | undefined;
      page?: number | undefined;
      pageSize?: number | undefined;
    };
    data: {
      images: {
        id: string;
        /** Public address; for the src of an image block */
        url: string;
        name: string;
        description: string | null;
        width: number;
        height: number;
        bytes: number;
        contentType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
        createdAt: string;
      }[];
      total: number;
      page: number;
      pageSize: number;
      pageCount: number;
    };
  };
  /** Updates the description, and with it the name, of a hosted image. */
  describe_image: {
    input: {
      imageId?: string | undefined;
      url?: string | undefined;
      description: string;
      name?: string | undefined;
    };
    data: {
      image: {
        id: string;
        /** Public address; for the src of an image block */
        url: string;
        name: string;
        description: string | null;
        width: number;
        height: number;
        bytes: number;
        contentType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
        createdAt: string;
      };
      imageId: string;
    };
  };
  /** Deletes a hosted image. Mail that shows it, sent or not, loses it. */
  delete_image: {
    input: {
      imageId: string;
    };
    data: {
      deleted: true;
      imageId: string;
    };
  };
  /** Sets the images of a DRAFT campaign to their natural size, up to a maximum, without enlarging any. */
  auto_fit_campaign_images: {
    input: {
      campaignId: string;
      imageIndexes?: number[] | undefined;
      maxWidth?: number | undefined;
      maxHeight?: number | undefined;
      dryRun?: boolean | undefined;
    };
    data: {
      images: {
        index: number;
        src: string;
        alt: string;
        natural: {
          width: number;
          height: number;
        } | null;
        current: {
          width: number | null;
          height: number | null;
        };
        fitted: {
          width: number;
          height: number;
        } | null;
        status: 'FITTED' | 'UNCHANGED' | 'NOT_CHOSEN' | 'UNREACHABLE' | 'NOT_RESIZABLE';
      }[];
      dryRun: boolean;
    };
  };
  /** Fetches a public web page and returns its main content as Markdown. */
  fetch_web_page: {
    input: {
      url: string;
    };
    data: {
      /** After redirects */
      url: string;
      title: string | null;
      description: string | null;
      markdown: string;
      truncated: boolean;
    };
  };
  /** Lists workflows of every state, newest first. */
  list_workflows: {
    input: {
      limit?: number | undefined;
      /** Substring of the name, without case */
      query?: string | undefined;
    };
    data: {
      workflows: {
        id: string;
        name: string;
        status: 'DRAFT' | 'ACTIVE' | 'PAUSED' | 'ARCHIVED';
        groupId: string | null;
        activeSubscribers: number;
        createdAt: string;
        updatedAt: string;
      }[];
      total: number;
    };
  };
  /** Returns a workflow: draft, emails, published version and its differences, settings, goals, statistics by step, and enrolments. */
  get_workflow: {
    input: {
      workflowId: string;
    };
    data: {
      workflow: {
        id: string;
        name: string;
        status: 'DRAFT' | 'ACTIVE' | 'PAUSED' | 'ARCHIVED';
        groupId: string | null;
        activeSubscribers: number;
        createdAt: string;
        updatedAt: string;
        draft: {
          steps: {
            /** Chosen by the caller: letters, digits, _ and -, unique in the graph */
            id: string;
            /** TRIGGER, EMAIL, WAIT, WAIT_UNTIL, CONDITION, SPLIT, ACTION, MOVE_TO_STEP, GOAL or EXIT */
            type: string;
            name?: string | undefined;
            config?: Record<string, unknown> | undefined;
            [key: string]: unknown;
          }[];
          edges: {
            source: string;
            target: string;
            /** TRUE or FALSE of a CONDITION, MATCHED or TIMEOUT of a WAIT_UNTIL, or a name of a SPLIT */
            branch?: (string | null) | undefined;
            [key: string]: unknown;
          }[];
        };
        emails: {
          stepId: string;
          campaignId: string;
          subject: string;
          preview: string | null;
          content: unknown;
          contentType: 'MAILY' | 'PLATE' | 'MARKDOWN';
          senderId: string | null;
          replyTo: string | null;
        }[];
        published: {
          steps: {
            /** Chosen by the caller: letters, digits, _ and -, unique in the graph */
            id: string;
            /** TRIGGER, EMAIL, WAIT, WAIT_UNTIL, CONDITION, SPLIT, ACTION, MOVE_TO_STEP, GOAL or EXIT */
            type: string;
            name?: string | undefined;
            config?: Record<string, unknown> | undefined;
            [key: string]: unknown;
          }[];
          edges: {
            source: string;
            target: string;
            /** TRUE or FALSE of a CONDITION, MATCHED or TIMEOUT of a WAIT_UNTIL, or a name of a SPLIT */
            branch?: (string | null) | undefined;
            [key: string]: unknown;
          }[];
          version: number;
          publishedAt: string;
          settings: {
            reentry?: 'ONCE' | 'AFTER_FINISH' | 'ALWAYS' | undefined;
            exitOnUnsubscribe?: boolean | undefined;
            timezone?: (string | null) | undefined;
            [key: string]: unknown;
          };
          successGoals: {
            id?: string | undefined;
            name?: string | undefined;
            filters?:
              | {
                  /** STRING, NUMBER, DATE, TAG, FIELD, SEGMENT, CAMPAIGN, WORKFLOW, EVENT, SYSTEM or GROUP */
                  type: string;
                  field?: string | undefined;
                  operator?: string | undefined;
                  [key: string]: unknown;
                }[]
              | undefined;
            [key: string]: unknown;
          }[];
        } | null;
        difference: {
          stepsAdded: string[];
          stepsRemoved: string[];
          stepsChanged: string[];
          edges: boolean;
          settings: boolean;
          successGoals: boolean;
        } | null;
        settings: {
          reentry?: 'ONCE' | 'AFTER_FINISH' | 'ALWAYS' | undefined;
          exitOnUnsubscribe?: boolean | undefined;
          timezone?: (string | null) | undefined;
          [key: string]: unknown;
        };
        successGoals: {
          id?: string | undefined;
          name?: string | undefined;
          filters?:
            | {
                /** STRING, NUMBER, DATE, TAG, FIELD, SEGMENT, CAMPAIGN, WORKFLOW, EVENT, SYSTEM or GROUP */
                type: string;
                field?: string | undefined;
                operator?: string | undefined;
                [key: string]: unknown;
              }[]
            | undefined;
          [key: string]: unknown;
        }[];
        stats: {
          enrolled: number;
          completed: number;
          canceled: number;
          failed: number;
          conversions: number;
          skipped: {
            reason: string;
            count: number;
          }[];
          goals: {
            id: string;
            name: string;
            conversions: number;
          }[];
          steps: {
            stepId: string;
            entered: number;
            waiting: number;
            left: Record<string, number>;
            emails?:
              | {
                  sent: number;
                  opened: number;
                  clicked: number;
                }
              | undefined;
          }[];
        };
        enrolments: {
          jobId: string;
          status: 'RUNNING' | 'DONE' | 'FAILED';
          matched: number;
          enrolled: number;
          skipped: {
            reason: string;
            count: number;
          }[];
          createdAt: string;
          finishedAt: string | null;
          failure?: string | undefined;
        }[];
      };
      workflowId: string;
    };
  };
  /** Creates an empty DRAFT workflow. It accepts subscribers once it is configured and published. */
  create_workflow: {
    input: {
      name: string;
    };
    data: {
      workflow: {
        id: string;
        name: string;
        status: 'DRAFT' | 'ACTIVE' | 'PAUSED' | 'ARCHIVED';
        groupId: string | null;
        activeSubscribers: number;
        createdAt: string;
        updatedAt: string;
        draft: {
          steps: {
            /** Chosen by the caller: letters, digits, _ and -, unique in the graph */
            id: string;
            /** TRIGGER, EMAIL, WAIT, WAIT_UNTIL, CONDITION, SPLIT, ACTION, MOVE_TO_STEP, GOAL or EXIT */
            type: string;
            name?: string | undefined;
            config?: Record<string, unknown> | undefined;
            [key: string]: unknown;
          }[];
          edges: {
            source: string;
            target: string;
            /** TRUE or FALSE of a CONDITION, MATCHED or TIMEOUT of a WAIT_UNTIL, or a name of a SPLIT */
            branch?: (string | null) | undefined;
            [key: string]: unknown;
          }[];
        };
        emails: {
          stepId: string;
          campaignId: string;
          subject: string;
          preview: string | null;
          content: unknown;
          contentType: 'MAILY' | 'PLATE' | 'MARKDOWN';
          senderId: string | null;
          replyTo: string | null;
        }[];
        published: {
          steps: {
            /** Chosen by the caller: letters, digits, _ and -, unique in the graph */
            id: string;
            /** TRIGGER, EMAIL, WAIT, WAIT_UNTIL, CONDITION, SPLIT, ACTION, MOVE_TO_STEP, GOAL or EXIT */
            type: string;
            name?: string | undefined;
            config?: Record<string, unknown> | undefined;
            [key: string]: unknown;
          }[];
          edges: {
            source: string;
            target: string;
            /** TRUE or FALSE of a CONDITION, MATCHED or TIMEOUT of a WAIT_UNTIL, or a name of a SPLIT */
            branch?: (string | null) | undefined;
            [key: string]: unknown;
          }[];
          version: number;
          publishedAt: string;
          settings: {
            reentry?: 'ONCE' | 'AFTER_FINISH' | 'ALWAYS' | undefined;
            exitOnUnsubscribe?: boolean | undefined;
            timezone?: (string | null) | undefined;
            [key: string]: unknown;
          };
          successGoals: {
            id?: string | undefined;
            name?: string | undefined;
            filters?:
              | {
                  /** STRING, NUMBER, DATE, TAG, FIELD, SEGMENT, CAMPAIGN, WORKFLOW, EVENT, SYSTEM or GROUP */
                  type: string;
                  field?: string | undefined;
                  operator?: string | undefined;
                  [key: string]: unknown;
                }[]
              | undefined;
            [key: string]: unknown;
          }[];
        } | null;
        difference: {
          stepsAdded: string[];
          stepsRemoved: string[];
          stepsChanged: string[];
          edges: boolean;
          settings: boolean;
          successGoals: boolean;
        } | null;
        settings: {
          reentry?: 'ONCE' | 'AFTER_FINISH' | 'ALWAYS' | undefined;
          exitOnUnsubscribe?: boolean | undefined;
          timezone?: (string | null) | undefined;
          [key: string]: unknown;
        };
        successGoals: {
          id?: string | undefined;
          name?: string | undefined;
          filters?:
            | {
                /** STRING, NUMBER, DATE, TAG, FIELD, SEGMENT, CAMPAIGN, WORKFLOW, EVENT, SYSTEM or GROUP */
                type: string;
                field?: string | undefined;
                operator?: string | undefined;
                [key: string]: unknown;
              }[]
            | undefined;
          [key: string]: unknown;
        }[];
        stats: {
          enrolled: number;
          completed: number;
          canceled: number;
          failed: number;
          conversions: number;
          skipped: {
            reason: string;
            count: number;
          }[];
          goals: {
            id: string;
            name: string;
            conversions: number;
          }[];
          steps: {
            stepId: string;
            entered: number;
            waiting: number;
            left: Record<string, number>;
            emails?:
              | {
                  sent: number;
                  opened: number;
                  clicked: number;
                }
              | undefined;
          }[];
        };
        enrolments: {
          jobId: string;
          status: 'RUNNING' | 'DONE' | 'FAILED';
          matched: number;
          enrolled: number;
          skipped: {
            reason: string;
            count: number;
          }[];
          createdAt: string;
          finishedAt: string | null;
          failure?: string | undefined;
        }[];
      };
      workflowId: string;
    };
  };
  /** Replaces the whole draft of a workflow: steps with inline email content, edges, settings and goals. */
  configure_workflow_draft: {
    input: {
      workflowId: string;
      /** The exact updatedAt of a fresh read */
      expectedUpdatedAt: string;
      settings?:
        | {
            reentry?: 'ONCE' | 'AFTER_FINISH' | 'ALWAYS' | undefined;
            exitOnUnsubscribe?: boolean | undefined;
            timezone?: (string | null) | undefined;
            [key: string]: unknown;
          }
        | undefined;
      steps: {
        /** Chosen by the caller: letters, digits, _ and -, unique in the graph */
        id: string;
        /** TRIGGER, EMAIL, WAIT, WAIT_UNTIL, CONDITION, SPLIT, ACTION, MOVE_TO_STEP, GOAL or EXIT */
        type: string;
        name?: string | undefined;
        config?: Record<string, unknown> | undefined;
        [key: string]: unknown;
      }[];
      edges: {
        source: string;
        target: string;
        /** TRUE or FALSE of a CONDITION, MATCHED or TIMEOUT of a WAIT_UNTIL, or a name of a SPLIT */
        branch?: (string | null) | undefined;
        [key: string]: unknown;
      }[];
      successGoals?:
        | {
            id?: string | undefined;
            name?: string | undefined;
            filters?:
              | {
                  /** STRING, NUMBER, DATE, TAG, FIELD, SEGMENT, CAMPAIGN, WORKFLOW, EVENT, SYSTEM or GROUP */
                  type: string;
                  field?: string | undefined;
                  operator?: string | undefined;
                  [key: string]: unknown;
                }[]
              | undefined;
            [key: string]: unknown;
          }[]
        | undefined;
    };
    data: {
      workflow: {
        id: string;
        name: string;
        status: 'DRAFT' | 'ACTIVE' | 'PAUSED' | 'ARCHIVED';
        groupId: string | null;
        activeSubscribers: number;
        createdAt: string;
        updatedAt: string;
        draft: {
          steps: {
            /** Chosen by the caller: letters, digits, _ and -, unique in the graph */
            id: string;
            /** TRIGGER, EMAIL, WAIT, WAIT_UNTIL, CONDITION, SPLIT, ACTION, MOVE_TO_STEP, GOAL or EXIT */
            type: string;
            name?: string | undefined;
            config?: Record<string, unknown> | undefined;
            [key: string]: unknown;
          }[];
          edges: {
            source: string;
            target: string;
            /** TRUE or FALSE of a CONDITION, MATCHED or TIMEOUT of a WAIT_UNTIL, or a name of a SPLIT */
            branch?: (string | null) | undefined;
            [key: string]: unknown;
          }[];
        };
        emails: {
          stepId: string;
          campaignId: string;
          subject: string;
          preview: string | null;
          content: unknown;
          contentType: 'MAILY' | 'PLATE' | 'MARKDOWN';
          senderId: string | null;
          replyTo: string | null;
        }[];
        published: {
          steps: {
            /** Chosen by the caller: letters, digits, _ and -, unique in the graph */
            id: string;
            /** TRIGGER, EMAIL, WAIT, WAIT_UNTIL, CONDITION, SPLIT, ACTION, MOVE_TO_STEP, GOAL or EXIT */
            type: string;
            name?: string | undefined;
            config?: Record<string, unknown> | undefined;
            [key: string]: unknown;
          }[];
          edges: {
            source: string;
            target: string;
            /** TRUE or FALSE of a CONDITION, MATCHED or TIMEOUT of a WAIT_UNTIL, or a name of a SPLIT */
            branch?: (string | null) | undefined;
            [key: string]: unknown;
          }[];
          version: number;
          publishedAt: string;
          settings: {
            reentry?: 'ONCE' | 'AFTER_FINISH' | 'ALWAYS' | undefined;
            exitOnUnsubscribe?: boolean | undefined;
            timezone?: (string | null) | undefined;
            [key: string]: unknown;
          };
          successGoals: {
            id?: string | undefined;
            name?: string | undefined;
            filters?:
              | {
                  /** STRING, NUMBER, DATE, TAG, FIELD, SEGMENT, CAMPAIGN, WORKFLOW, EVENT, SYSTEM or GROUP */
                  type: string;
                  field?: string | undefined;
                  operator?: string | undefined;
                  [key: string]: unknown;
                }[]
              | undefined;
            [key: string]: unknown;
          }[];
        } | null;
        difference: {
          stepsAdded: string[];
          stepsRemoved: string[];
          stepsChanged: string[];
          edges: boolean;
          settings: boolean;
          successGoals: boolean;
        } | null;
        settings: {
          reentry?: 'ONCE' | 'AFTER_FINISH' | 'ALWAYS' | undefined;
          exitOnUnsubscribe?: boolean | undefined;
          timezone?: (string | null) | undefined;
          [key: string]: unknown;
        };
        successGoals: {
          id?: string | undefined;
          name?: string | undefined;
          filters?:
            | {
                /** STRING, NUMBER, DATE, TAG, FIELD, SEGMENT, CAMPAIGN, WORKFLOW, EVENT, SYSTEM or GROUP */
                type: string;
                field?: string | undefined;
                operator?: string | undefined;
                [key: string]: unknown;
              }[]
            | undefined;
          [key: string]: unknown;
        }[];
        stats: {
          enrolled: number;
          completed: number;
          canceled: number;
          failed: number;
          conversions: number;
          skipped: {
            reason: string;
            count: number;
          }[];
          goals: {
            id: string;
            name: string;
            conversions: number;
          }[];
          steps: {
            stepId: string;
            entered: number;
            waiting: number;
            left: Record<string, number>;
            emails?:
              | {
                  sent: number;
                  opened: number;
                  clicked: number;
                }
              | undefined;
          }[];
        };
        enrolments: {
          jobId: string;
          status: 'RUNNING' | 'DONE' | 'FAILED';
          matched: number;
          enrolled: number;
          skipped: {
            reason: string;
            count: number;
          }[];
          createdAt: string;
          finishedAt: string | null;
          failure?: string | undefined;
        }[];
      };
      workflowId: string;
      configuredEmails: {
        stepId: string;
        campaignId: string;
      }[];
      warnings: {
        stepId: string | null;
        message: string;
      }[];
    };
  };
  /** Replaces the graph of a draft whose EMAIL steps refer to existing emails or campaigns by campaignId. */
  update_workflow_draft: {
    input: {
      workflowId: string;
      /** The exact updatedAt of a fresh read */
      expectedUpdatedAt: string;
      definition: {
        steps: {
          /** Chosen by the caller: letters, digits, _ and -, unique in the graph */
          id: string;
          /** TRIGGER, EMAIL, WAIT, WAIT_UNTIL, CONDITION, SPLIT, ACTION, MOVE_TO_STEP, GOAL or EXIT */
          type: string;
          name?: string | undefined;
          config?: Record<string, unknown> | undefined;
          [key: string]: unknown;
        }[];
        edges: {
          source: string;
          target: string;
          /** TRUE or FALSE of a CONDITION, MATCHED or TIMEOUT of a WAIT_UNTIL, or a name of a SPLIT */
          branch?: (string | null) | undefined;
          [key: string]: unknown;
        }[];
        settings?:
          | {
              reentry?: 'ONCE' | 'AFTER_FINISH' | 'ALWAYS' | undefined;
              exitOnUnsubscribe?: boolean | undefined;
              timezone?: (string | null) | undefined;
              [key: string]: unknown;
            }
          | undefined;
        successGoals?:
          | {
              id?: string | undefined;
              name?: string | undefined;
              filters?:
                | {
                    /** STRING, NUMBER, DATE, TAG, FIELD, SEGMENT, CAMPAIGN, WORKFLOW, EVENT, SYSTEM or GROUP */
                    type: string;
                    field?: string | undefined;
                    operator?: string | undefined;
                    [key: string]: unknown;
                  }[]
                | undefined;
              [key: string]: unknown;
            }[]
          | undefined;
        [key: string]: unknown;
      };
    };
    data: {
      workflow: {
        id: string;
        name: string;
        status: 'DRAFT' | 'ACTIVE' | 'PAUSED' | 'ARCHIVED';
        groupId: string | null;
        activeSubscribers: number;
        createdAt: string;
        updatedAt: string;
        draft: {
          steps: {
            /** Chosen by the caller: letters, digits, _ and -, unique in the graph */
            id: string;
            /** TRIGGER, EMAIL, WAIT, WAIT_UNTIL, CONDITION, SPLIT, ACTION, MOVE_TO_STEP, GOAL or EXIT */
            type: string;
            name?: string | undefined;
            config?: Record<string, unknown> | undefined;
            [key: string]: unknown;
          }[];
          edges: {
            source: string;
            target: string;
            /** TRUE or FALSE of a CONDITION, MATCHED or TIMEOUT of a WAIT_UNTIL, or a name of a SPLIT */
            branch?: (string | null) | undefined;
            [key: string]: unknown;
          }[];
        };
        emails: {
          stepId: string;
          campaignId: string;
          subject: string;
          preview: string | null;
          content: unknown;
          contentType: 'MAILY' | 'PLATE' | 'MARKDOWN';
          senderId: string | null;
          replyTo: string | null;
        }[];
        published: {
          steps: {
            /** Chosen by the caller: letters, digits, _ and -, unique in the graph */
            id: string;
            /** TRIGGER, EMAIL, WAIT, WAIT_UNTIL, CONDITION, SPLIT, ACTION, MOVE_TO_STEP, GOAL or EXIT */
            type: string;
            name?: string | undefined;
            config?: Record<string, unknown> | undefined;
            [key: string]: unknown;
          }[];
          edges: {
            source: string;
            target: string;
            /** TRUE or FALSE of a CONDITION, MATCHED or TIMEOUT of a WAIT_UNTIL, or a name of a SPLIT */
            branch?: (string | null) | undefined;
            [key: string]: unknown;
          }[];
          version: number;
          publishedAt: string;
          settings: {
            reentry?: 'ONCE' | 'AFTER_FINISH' | 'ALWAYS' | undefined;
            exitOnUnsubscribe?: boolean | undefined;
            timezone?: (string | null) | undefined;
            [key: string]: unknown;
          };
          successGoals: {
            id?: string | undefined;
            name?: string | undefined;
            filters?:
              | {
                  /** STRING, NUMBER, DATE, TAG, FIELD, SEGMENT, CAMPAIGN, WORKFLOW, EVENT, SYSTEM or GROUP */
                  type: string;
                  field?: string | undefined;
                  operator?: string | undefined;
                  [key: string]: unknown;
                }[]
              | undefined;
            [key: string]: unknown;
          }[];
        } | null;
        difference: {
          stepsAdded: string[];
          stepsRemoved: string[];
          stepsChanged: string[];
          edges: boolean;
          settings: boolean;
          successGoals: boolean;
        } | null;
        settings: {
          reentry?: 'ONCE' | 'AFTER_FINISH' | 'ALWAYS' | undefined;
          exitOnUnsubscribe?: boolean | undefined;
          timezone?: (string | null) | undefined;
          [key: string]: unknown;
        };
        successGoals: {
          id?: string | undefined;
          name?: string | undefined;
          filters?:
            | {
                /** STRING, NUMBER, DATE, TAG, FIELD, SEGMENT, CAMPAIGN, WORKFLOW, EVENT, SYSTEM or GROUP */
                type: string;
                field?: string | undefined;
                operator?: string | undefined;
                [key: string]: unknown;
              }[]
            | undefined;
          [key: string]: unknown;
        }[];
        stats: {
          enrolled: number;
          completed: number;
          canceled: number;
          failed: number;
          conversions: number;
          skipped: {
            reason: string;
            count: number;
          }[];
          goals: {
            id: string;
            name: string;
            conversions: number;
          }[];
          steps: {
            stepId: string;
            entered: number;
            waiting: number;
            left: Record<string, number>;
            emails?:
              | {
                  sent: number;
                  opened: number;
                  clicked: number;
                }
              | undefined;
          }[];
        };
        enrolments: {
          jobId: string;
          status: 'RUNNING' | 'DONE' | 'FAILED';
          matched: number;
          enrolled: number;
          skipped: {
            reason: string;
            count: number;
          }[];
          createdAt: string;
          finishedAt: string | null;
          failure?: string | undefined;
        }[];
      };
      workflowId: string;
      configuredEmails: {
        stepId: string;
        campaignId: string;
      }[];
      warnings: {
        stepId: string | null;
        message: string;
      }[];
    };
  };
  /** Deletes a draft that was never published; archives any other workflow to keep its history. */
  delete_workflow: {
    input: {
      workflowId: string;
    };
    data: {
      deleted?: true | undefined;
      archived?: true | undefined;
      workflow?:
        | {
            id: string;
            name: string;
            status: 'DRAFT' | 'ACTIVE' | 'PAUSED' | 'ARCHIVED';
            groupId: string | null;
            activeSubscribers: number;
            createdAt: string;
            updatedAt: string;
            draft: {
              steps: {
                /** Chosen by the caller: letters, digits, _ and -, unique in the graph */
                id: string;
                /** TRIGGER, EMAIL, WAIT, WAIT_UNTIL, CONDITION, SPLIT, ACTION, MOVE_TO_STEP, GOAL or EXIT */
                type: string;
                name?: string | undefined;
                config?: Record<string, unknown> | undefined;
                [key: string]: unknown;
              }[];
              edges: {
                source: string;
                target: string;
                /** TRUE or FALSE of a CONDITION, MATCHED or TIMEOUT of a WAIT_UNTIL, or a name of a SPLIT */
                branch?: (string | null) | undefined;
                [key: string]: unknown;
              }[];
            };
            emails: {
              stepId: string;
              campaignId: string;
              subject: string;
              preview: string | null;
              content: unknown;
              contentType: 'MAILY' | 'PLATE' | 'MARKDOWN';
              senderId: string | null;
              replyTo: string | null;
            }[];
            published: {
              steps: {
                /** Chosen by the caller: letters, digits, _ and -, unique in the graph */
                id: string;
                /** TRIGGER, EMAIL, WAIT, WAIT_UNTIL, CONDITION, SPLIT, ACTION, MOVE_TO_STEP, GOAL or EXIT */
                type: string;
                name?: string | undefined;
                config?: Record<string, unknown> | undefined;
                [key: string]: unknown;
              }[];
              edges: {
                source: string;
                target: string;
                /** TRUE or FALSE of a CONDITION, MATCHED or TIMEOUT of a WAIT_UNTIL, or a name of a SPLIT */
                branch?: (string | null) | undefined;
                [key: string]: unknown;
              }[];
              version: number;
              publishedAt: string;
              settings: {
                reentry?: 'ONCE' | 'AFTER_FINISH' | 'ALWAYS' | undefined;
                exitOnUnsubscribe?: boolean | undefined;
                timezone?: (string | null) | undefined;
                [key: string]: unknown;
              };
              successGoals: {
                id?: string | undefined;
                name?: string | undefined;
                filters?:
                  | {
                      /** STRING, NUMBER, DATE, TAG, FIELD, SEGMENT, CAMPAIGN, WORKFLOW, EVENT, SYSTEM or GROUP */
                      type: string;
                      field?: string | undefined;
                      operator?: string | undefined;
                      [key: string]: unknown;
                    }[]
                  | undefined;
                [key: string]: unknown;
              }[];
            } | null;
            difference: {
              stepsAdded: string[];
              stepsRemoved: string[];
              stepsChanged: string[];
              edges: boolean;
              settings: boolean;
              successGoals: boolean;
            } | null;
            settings: {
              reentry?: 'ONCE' | 'AFTER_FINISH' | 'ALWAYS' | undefined;
              exitOnUnsubscribe?: boolean | undefined;
              timezone?: (string | null) | undefined;
              [key: string]: unknown;
            };
            successGoals: {
              id?: string | undefined;
              name?: string | undefined;
              filters?:
                | {
                    /** STRING, NUMBER, DATE, TAG, FIELD, SEGMENT, CAMPAIGN, WORKFLOW, EVENT, SYSTEM or GROUP */
                    type: string;
                    field?: string | undefined;
                    operator?: string | undefined;
                    [key: string]: unknown;
                  }[]
                | undefined;
              [key: string]: unknown;
            }[];
            stats: {
              enrolled: number;
              completed: number;
              canceled: number;
              failed: number;
              conversions: number;
              skipped: {
                reason: string;
                count: number;
              }[];
              goals: {
                id: string;
                name: string;
                conversions: number;
              }[];
              steps: {
                stepId: string;
                entered: number;
                waiting: number;
                left: Record<string, number>;
                emails?:
                  | {
                      sent: number;
                      opened: number;
                      clicked: number;
                    }
                  | undefined;
              }[];
            };
            enrolments: {
              jobId: string;
              status: 'RUNNING' | 'DONE' | 'FAILED';
              matched: number;
              enrolled: number;
              skipped: {
                reason: string;
                count: number;
              }[];
              createdAt: string;
              finishedAt: string | null;
              failure?: string | undefined;
            }[];
          }
        | undefined;
    };
  };
  /** Checks the draft and publishes it as a new, immutable version. The first version makes the workflow ACTIVE. */
  publish_workflow: {
    input: {
      workflowId: string;
      activate?: boolean | undefined;
    };
    data: {
      workflow: {
        id: string;
        name: string;
        status: 'DRAFT' | 'ACTIVE' | 'PAUSED' | 'ARCHIVED';
        groupId: string | null;
        activeSubscribers: number;
        createdAt: string;
        updatedAt: string;
        draft: {
          steps: {
            /** Chosen by the caller: letters, digits, _ and -, unique in the graph */
            id: string;
            /** TRIGGER, EMAIL, WAIT, WAIT_UNTIL, CONDITION, SPLIT, ACTION, MOVE_TO_STEP, GOAL or EXIT */
            type: string;
            name?: string | undefined;
            config?: Record<string, unknown> | undefined;
            [key: string]: unknown;
          }[];
          edges: {
            source: string;
            target: string;
            /** TRUE or FALSE of a CONDITION, MATCHED or TIMEOUT of a WAIT_UNTIL, or a name of a SPLIT */
            branch?: (string | null) | undefined;
            [key: string]: unknown;
          }[];
        };
        emails: {
          stepId: string;
          campaignId: string;
          subject: string;
          preview: string | null;
          content: unknown;
          contentType: 'MAILY' | 'PLATE' | 'MARKDOWN';
          senderId: string | null;
          replyTo: string | null;
        }[];
        published: {
          steps: {
            /** Chosen by the caller: letters, digits, _ and -, unique in the graph */
            id: string;
            /** TRIGGER, EMAIL, WAIT, WAIT_UNTIL, CONDITION, SPLIT, ACTION, MOVE_TO_STEP, GOAL or EXIT */
            type: string;
            name?: string | undefined;
            config?: Record<string, unknown> | undefined;
            [key: string]: unknown;
          }[];
          edges: {
            source: string;
            target: string;
            /** TRUE or FALSE of a CONDITION, MATCHED or TIMEOUT of a WAIT_UNTIL, or a name of a SPLIT */
            branch?: (string | null) | undefined;
            [key: string]: unknown;
          }[];
          version: number;
          publishedAt: string;
          settings: {
            reentry?: 'ONCE' | 'AFTER_FINISH' | 'ALWAYS' | undefined;
            exitOnUnsubscribe?: boolean | undefined;
            timezone?: (string | null) | undefined;
            [key: string]: unknown;
          };
          successGoals: {
            id?: string | undefined;
            name?: string | undefined;
            filters?:
              | {
                  /** STRING, NUMBER, DATE, TAG, FIELD, SEGMENT, CAMPAIGN, WORKFLOW, EVENT, SYSTEM or GROUP */
                  type: string;
                  field?: string | undefined;
                  operator?: string | undefined;
                  [key: string]: unknown;
                }[]
              | undefined;
            [key: string]: unknown;
          }[];
        } | null;
        difference: {
          stepsAdded: string[];
          stepsRemoved: string[];
          stepsChanged: string[];
          edges: boolean;
          settings: boolean;
          successGoals: boolean;
        } | null;
        settings: {
          reentry?: 'ONCE' | 'AFTER_FINISH' | 'ALWAYS' | undefined;
          exitOnUnsubscribe?: boolean | undefined;
          timezone?: (string | null) | undefined;
          [key: string]: unknown;
        };
        successGoals: {
          id?: string | undefined;
          name?: string | undefined;
          filters?:
            | {
                /** STRING, NUMBER, DATE, TAG, FIELD, SEGMENT, CAMPAIGN, WORKFLOW, EVENT, SYSTEM or GROUP */
                type: string;
                field?: string | undefined;
                operator?: string | undefined;
                [key: string]: unknown;
              }[]
            | undefined;
          [key: string]: unknown;
        }[];
        stats: {
          enrolled: number;
          completed: number;
          canceled: number;
          failed: number;
          conversions: number;
          skipped: {
            reason: string;
            count: number;
          }[];
          goals: {
            id: string;
            name: string;
            conversions: number;
          }[];
          steps: {
            stepId: string;
            entered: number;
            waiting: number;
            left: Record<string, number>;
            emails?:
              | {
                  sent: number;
                  opened: number;
                  clicked: number;
                }
              | undefined;
          }[];
        };
        enrolments: {
          jobId: string;
          status: 'RUNNING' | 'DONE' | 'FAILED';
          matched: number;
          enrolled: number;
          skipped: {
            reason: string;
            count: number;
          }[];
          createdAt: string;
          finishedAt: string | null;
          failure?: string | undefined;
        }[];
      };
      workflowId: string;
      version: number;
      activated: boolean;
    };
  };
  /** Sets a published workflow to ACTIVE, PAUSED (no new subscribers, timers held) or ARCHIVED (runs canceled). */
  update_workflow_status: {
    input: {
      workflowId: string;
      status: 'ACTIVE' | 'PAUSED' | 'ARCHIVED';
    };
    data: {
      workflow: {
        id: string;
        name: string;
        status: 'DRAFT' | 'ACTIVE' | 'PAUSED' | 'ARCHIVED';
        groupId: string | null;
        activeSubscribers: number;
        createdAt: string;
        updatedAt: string;
        draft: {
          steps: {
            /** Chosen by the caller: letters, digits, _ and -, unique in the graph */
            id: string;
            /** TRIGGER, EMAIL, WAIT, WAIT_UNTIL, CONDITION, SPLIT, ACTION, MOVE_TO_STEP, GOAL or EXIT */
            type: string;
            name?: string | undefined;
            config?: Record<string, unknown> | undefined;
            [key: string]: unknown;
          }[];
          edges: {
            source: string;
            target: string;
            /** TRUE or FALSE of a CONDITION, MATCHED or TIMEOUT of a WAIT_UNTIL, or a name of a SPLIT */
            branch?: (string | null) | undefined;
            [key: string]: unknown;
          }[];
        };
        emails: {
          stepId: string;
          campaignId: string;
          subject: string;
          preview: string | null;
          content: unknown;
          contentType: 'MAILY' | 'PLATE' | 'MARKDOWN';
          senderId: string | null;
          replyTo: string | null;
        }[];
        published: {
          steps: {
            /** Chosen by the caller: letters, digits, _ and -, unique in the graph */
            id: string;
            /** TRIGGER, EMAIL, WAIT, WAIT_UNTIL, CONDITION, SPLIT, ACTION, MOVE_TO_STEP, GOAL or EXIT */
            type: string;
            name?: string | undefined;
            config?: Record<string, unknown> | undefined;
            [key: string]: unknown;
          }[];
          edges: {
            source: string;
            target: string;
            /** TRUE or FALSE of a CONDITION, MATCHED or TIMEOUT of a WAIT_UNTIL, or a name of a SPLIT */
            branch?: (string | null) | undefined;
            [key: string]: unknown;
          }[];
          version: number;
          publishedAt: string;
          settings: {
            reentry?: 'ONCE' | 'AFTER_FINISH' | 'ALWAYS' | undefined;
            exitOnUnsubscribe?: boolean | undefined;
            timezone?: (string | null) | undefined;
            [key: string]: unknown;
          };
          successGoals: {
            id?: string | undefined;
            name?: string | undefined;
            filters?:
              | {
                  /** STRING, NUMBER, DATE, TAG, FIELD, SEGMENT, CAMPAIGN, WORKFLOW, EVENT, SYSTEM or GROUP */
                  type: string;
                  field?: string | undefined;
                  operator?: string | undefined;
                  [key: string]: unknown;
                }[]
              | undefined;
            [key: string]: unknown;
          }[];
        } | null;
        difference: {
          stepsAdded: string[];
          stepsRemoved: string[];
          stepsChanged: string[];
          edges: boolean;
          settings: boolean;
          successGoals: boolean;
        } | null;
        settings: {
          reentry?: 'ONCE' | 'AFTER_FINISH' | 'ALWAYS' | undefined;
          exitOnUnsubscribe?: boolean | undefined;
          timezone?: (string | null) | undefined;
          [key: string]: unknown;
        };
        successGoals: {
          id?: string | undefined;
          name?: string | undefined;
          filters?:
            | {
                /** STRING, NUMBER, DATE, TAG, FIELD, SEGMENT, CAMPAIGN, WORKFLOW, EVENT, SYSTEM or GROUP */
                type: string;
                field?: string | undefined;
                operator?: string | undefined;
                [key: string]: unknown;
              }[]
            | undefined;
          [key: string]: unknown;
        }[];
        stats: {
          enrolled: number;
          completed: number;
          canceled: number;
          failed: number;
          conversions: number;
          skipped: {
            reason: string;
            count: number;
          }[];
          goals: {
            id: string;
            name: string;
            conversions: number;
          }[];
          steps: {
            stepId: string;
            entered: number;
            waiting: number;
            left: Record<string, number>;
            emails?:
              | {
                  sent: number;
                  opened: number;
                  clicked: number;
                }
              | undefined;
          }[];
        };
        enrolments: {
          jobId: string;
          status: 'RUNNING' | 'DONE' | 'FAILED';
          matched: number;
          enrolled: number;
          skipped: {
            reason: string;
            count: number;
          }[];
          createdAt: string;
          finishedAt: string | null;
          failure?: string | undefined;
        }[];
      };
      workflowId: string;
    };
  };
  /** Starts a run of an ACTIVE workflow for one SUBSCRIBED subscriber. */
  add_subscriber_to_workflow: {
    input: {
      workflowId: string;
      subscriberId?: string | undefined;
      email?: string | undefined;
      /** A step of the published version to start from */
      stepId?: string | undefined;
    };
    data: {
      run: {
        workflowSubscriberId: string;
        workflowId: string;
        workflowName: string;
        version: number;
        subscriberId: string;
        status: 'ACTIVE' | 'WAITING' | 'COMPLETED' | 'CANCELED' | 'FAILED';
        currentStep: {
          id: string;
          type: string;
          name: string | null;
        };
        attempts: number;
        nextActionAt: string | null;
        startedAt: string;
        finishedAt: string | null;
        reason: string | null;
        history: {
          stepId: string;
          at: string;
          outcome: string;
          data: Record<string, unknown>;
        }[];
      };
    };
  };
  /** Enrols the subscribers that match filters, a query or a list of ids. With dryRun, it only returns the number of matches and the possible first steps. */
  add_subscribers_to_workflow: {
    input: {
      workflowId: string;
      /** A step of the published version to start from */
      stepId?: string | undefined;
      filters?:
        | {
            /** STRING, NUMBER, DATE, TAG, FIELD, SEGMENT, CAMPAIGN, WORKFLOW, EVENT, SYSTEM or GROUP */
            type: string;
            field?: string | undefined;
            operator?: string | undefined;
            [key: string]: unknown;
          }[]
        | undefined;
      /** Substring of email, name or tag name, without case */
      query?: string | undefined;
      status?:
        | 'PENDING_CONFIRMATION'
        | 'SUBSCRIBED'
        | 'UNSUBSCRIBED'
        | 'BOUNCED'
        | 'BANNED'
        | 'COMPLAINED'
        | 'TRANSACTIONAL'
        | undefined;
      subscriberIds?: string[] | undefined;
      dryRun?: boolean | undefined;
    };
    data: {
      matched: number;
      enrolled?: number | undefined;
      skipped?:
        | {
            reason: string;
            count: number;
          }[]
        | undefined;
      steps?:
        | {
            id: string;
            type: string;
            name: string | null;
          }[]
        | undefined;
      dryRun: boolean;
      status?: 'RUNNING' | undefined;
      jobId?: string | undefined;
    };
  };
  /** Cancels the unfinished runs of one subscriber in a workflow. The call also succeeds if there are none. */
  remove_subscriber_from_workflow: {
    input: {
      workflowId: string;
      subscriberId?: string | undefined;
      email?: string | undefined;
    };
    data: {
      canceled: number;
    };
  };
  /** Lists the runs of one subscriber with their history: unfinished runs first, then the most recently ended. */
  get_subscriber_workflow_runs: {
    input: {
      subscriberId?: string | undefined;
      email?: string | undefined;
      workflowId?: string | undefined;
    };
    data: {
      runs: {
        workflowSubscriberId: string;
        workflowId: string;
        workflowName: string;
        version: number;
        subscriberId: string;
        status: 'ACTIVE' | 'WAITING' | 'COMPLETED' | 'CANCELED' | 'FAILED';
        currentStep: {
          id: string;
          type: string;
          name: string | null;
        };
        attempts: number;
        nextActionAt: string | null;
        startedAt: string;
        finishedAt: string | null;
        reason: string | null;
        history: {
          stepId: string;
          at: string;
          outcome: string;
          data: Record<string, unknown>;
        }[];
      }[];
    };
  };
  /** Ends one WAIT or WAIT_UNTIL step of a run now. The steps after it run normally, with their real effects. */
  fast_forward_workflow_subscriber: {
    input: {
      workflowId: string;
      subscriberId?: string | undefined;
      email?: string | undefined;
      workflowSubscriberId?: string | undefined;
    };
    data: {
      run: {
        workflowSubscriberId: string;
        workflowId: string;
        workflowName: string;
        version: number;
        subscriberId: string;
        status: 'ACTIVE' | 'WAITING' | 'COMPLETED' | 'CANCELED' | 'FAILED';
        currentStep: {
          id: string;
          type: string;
          name: string | null;
        };
        attempts: number;
        nextActionAt: string | null;
        startedAt: string;
        finishedAt: string | null;
        reason: string | null;
        history: {
          stepId: string;
          at: string;
          outcome: string;
          data: Record<string, unknown>;
        }[];
      };
      expiredStep: {
        id: string;
        type: string;
        name: string | null;
      };
      nextStep: {
        id: string;
        type: string;
        name: string | null;
      } | null;
    };
  };
  /** Lists workflows by name, status and group, in a chosen order, page by page. */
  search_workflows: {
    input: {
      /** Substring of the name, without case */
      query?: string | undefined;
      /** Empty: all */
      statuses?: ('DRAFT' | 'ACTIVE' | 'PAUSED' | 'ARCHIVED')[] | undefined;
      /** A workflow group; null: workflows without a group */
      groupId?: (string | null) | undefined;
      sort?: 'createdAt' | 'updatedAt' | 'name' | undefined;
      order?: 'ASC' | 'DESC' | undefined;
      counts?: boolean | undefined;
      limit?: number | undefined;
      cursor?: string | undefined;
    };
    data: {
      workflows: {
        id: string;
        name: string;
        status: 'DRAFT' | 'ACTIVE' | 'PAUSED' | 'ARCHIVED';
        groupId: string | null;
        activeSubscribers: number;
        createdAt: string;
        updatedAt: string;
      }[];
      total: number;
      counts?: Record<string, number> | undefined;
      nextCursor: string | null;
    };
  };
  /** Lists the runs of a workflow with their subscribers, most recently started first. */
  list_workflow_runs: {
    input: {
      workflowId: string;
      status?: 'ACTIVE' | 'WAITING' | 'COMPLETED' | 'CANCELED' | 'FAILED' | undefined;
      stepId?: string | undefined;
      /** A published version; without it, all versions */
      version?: number | undefined;
      limit?: number | undefined;
      cursor?: string | undefined;
    };
    data: {
      runs: {
        workflowSubscriberId: string;
        workflowId: string;
        version: number;
        subscriberId: string;
        status: 'ACTIVE' | 'WAITING' | 'COMPLETED' | 'CANCELED' | 'FAILED';
        currentStep: {
          id: string;
          type: string;
          name: string | null;
        };
        attempts: number;
        nextActionAt: string | null;
        startedAt: string;
        finishedAt: string | null;
        reason: string | null;
        /** null if the subscriber was deleted */
        subscriber: {
          id: string;
          email: string;
          status:
            | 'PENDING_CONFIRMATION'
            | 'SUBSCRIBED'
            | 'UNSUBSCRIBED'
            | 'BOUNCED'
            | 'BANNED'
            | 'COMPLAINED'
            | 'TRANSACTIONAL'
            | null;
        } | null;
      }[];
      total: number;
      totalIsMinimum?: true | undefined;
      nextCursor: string | null;
    };
  };
  /** Returns how many runs entered, left and waited at each step of a workflow over time. */
  get_workflow_flow: {
    input: {
      workflowId: string;
      from?: string | undefined;
      to?: string | undefined;
      /** A published version; without it, all versions */
      version?: number | undefined;
    };
    data: {
      /** The first day of each bucket */
      buckets: string[];
      bucketDays: number;
      steps: {
        stepId: string;
        entered: number[];
        left: number[];
        waiting: number[];
      }[];
      graph?:
        | ({
            steps: {
              /** Chosen by the caller: letters, digits, _ and -, unique in the graph */
              id: string;
              /** TRIGGER, EMAIL, WAIT, WAIT_UNTIL, CONDITION, SPLIT, ACTION, MOVE_TO_STEP, GOAL or EXIT */
              type: string;
              name?: string | undefined;
              config?: Record<string, unknown> | undefined;
              [key: string]: unknown;
            }[];
            edges: {
              source: string;
              target: string;
              /** TRUE or FALSE of a CONDITION, MATCHED or TIMEOUT of a WAIT_UNTIL, or a name of a SPLIT */
              branch?: (string | null) | undefined;
              [key: string]: unknown;
            }[];
          } | null)
        | undefined;
    };
  };
  /** Checks a draft by all rules of saving and publishing, without saving it. */
  validate_workflow_draft: {
    input: {
      workflowId?: string | undefined;
      settings?:
        | {
            reentry?: 'ONCE' | 'AFTER_FINISH' | 'ALWAYS' | undefined;
            exitOnUnsubscribe?: boolean | undefined;
            timezone?: (string | null) | undefined;
            [key: string]: unknown;
          }
        | undefined;
      steps: {
        /** Chosen by the caller: letters, digits, _ and -, unique in the graph */
        id: string;
        /** TRIGGER, EMAIL, WAIT, WAIT_UNTIL, CONDITION, SPLIT, ACTION, MOVE_TO_STEP, GOAL or EXIT */
        type: string;
        name?: string | undefined;
        config?: Record<string, unknown> | undefined;
        [key: string]: unknown;
      }[];
      edges: {
        source: string;
        target: string;
        /** TRUE or FALSE of a CONDITION, MATCHED or TIMEOUT of a WAIT_UNTIL, or a name of a SPLIT */
        branch?: (string | null) | undefined;
        [key: string]: unknown;
      }[];
      successGoals?:
        | {
            id?: string | undefined;
            name?: string | undefined;
            filters?:
              | {
                  /** STRING, NUMBER, DATE, TAG, FIELD, SEGMENT, CAMPAIGN, WORKFLOW, EVENT, SYSTEM or GROUP */
                  type: string;
                  field?: string | undefined;
                  operator?: string | undefined;
                  [key: string]: unknown;
                }[]
              | undefined;
            [key: string]: unknown;
          }[]
        | undefined;
    };
    data: {
      valid: boolean;
      issues: {
        stepId: string | null;
        path: (string | number)[];
        message: string;
      }[];
      warnings: {
        stepId: string | null;
        message: string;
      }[];
    };
  };
  /** Returns the JSON Schema, branches and an example of the config of each step type. */
  get_step_schemas: {
    input: {
      /** Empty: all */
      types?:
        | (
            | 'TRIGGER'
            | 'EMAIL'
            | 'WAIT'
            | 'WAIT_UNTIL'
            | 'CONDITION'
            | 'SPLIT'
            | 'ACTION'
            | 'MOVE_TO_STEP'
            | 'GOAL'
            | 'EXIT'
          )[]
        | undefined;
    };
    data: {
      steps: {
        type:
          | 'TRIGGER'
          | 'EMAIL'
          | 'WAIT'
          | 'WAIT_UNTIL'
          | 'CONDITION'
          | 'SPLIT'
          | 'ACTION'
          | 'MOVE_TO_STEP'
          | 'GOAL'
          | 'EXIT';
        summary: string;
        /** JSON Schema, draft 2020-12 */
        config: Record<string, unknown>;
        /** Names of the outgoing edges; null: one edge without a name; empty: none */
        branches: string[] | null;
        /** A valid config */
        example: Record<string, unknown>;
      }[];
    };
  };
  /** Starts a simulation of a workflow over past events. It sends nothing and changes no run or counter. */
  simulate_workflow: {
    input: {
      workflowId: string;
      /** A published version; without it, the draft */
      version?: number | undefined;
      from?: string | undefined;
      to?: string | undefined;
    };
    data: {
      simulationId: string;
      workflowId: string;
      status: 'RUNNING' | 'COMPLETED' | 'FAILED';
      from: string;
      to: string;
    };
  };
  /** Returns the progress and the result of a simulation: counts by step, 20 examples and the assumptions. */
  get_workflow_simulation: {
    input: {
      simulationId?: string | undefined;
      workflowId?: string | undefined;
    };
    data: {
      simulation: {
        simulationId: string;
        workflowId: string;
        /** null: the draft */
        version: number | null;
        status: 'RUNNING' | 'COMPLETED' | 'FAILED';
        progress: number;
        from: string;
        to: string;
        createdAt: string;
        finishedAt: string | null;
        failure?: string | undefined;
        /** Whether the draft was saved since; false for a version */
        draftChanged: boolean;
        /** The steps and edges that were simulated */
        graph: {
          steps: {
            /** Chosen by the caller: letters, digits, _ and -, unique in the graph */
            id: string;
            /** TRIGGER, EMAIL, WAIT, WAIT_UNTIL, CONDITION, SPLIT, ACTION, MOVE_TO_STEP, GOAL or EXIT */
            type: string;
            name?: string | undefined;
            config?: Record<string, unknown> | undefined;
            [key: string]: unknown;
          }[];
          edges: {
            source: string;
            target: string;
            /** TRUE or FALSE of a CONDITION, MATCHED or TIMEOUT of a WAIT_UNTIL, or a name of a SPLIT */
            branch?: (string | null) | undefined;
            [key: string]: unknown;
          }[];
        };
        result: {
          /** Subscribers that were read */
          read: number;
          /** Subscribers with an event or a date that could have started a run */
          considered: number;
          /** Subscribers that would have entered */
          subscribers: number;
          /** Runs that would have started */
          entered: number;
          runs: {
            completed: number;
            canceled: number;
            failed: number;
            waiting: number;
          };
          skipped: {
            reason: string;
            count: number;
          }[];
          ends: {
            status: string;
            reason: string | null;
            count: number;
          }[];
          goals: {
            id: string;
            name: string;
            conversions: number;
          }[];
          steps: {
            stepId: string;
            entered: number;
            waiting: number;
            left: Record<string, number>;
            /** Of an EMAIL step */
            mailed?: number | undefined;
            reasons: {
              outcome: string;
              reason: string;
              count: number;
            }[];
          }[];
          examples: {
            subscriberId: string;
            status: 'ACTIVE' | 'WAITING' | 'COMPLETED' | 'CANCELED' | 'FAILED';
            reason: string | null;
            startedAt: string;
            /** null if the subscriber was deleted */
            email: string | null;
            /** The type of the event, or DATE_FIELD */
            startedBy: string;
            /** The current or last step */
            stepId: string;
            nextActionAt: string | null;
            /** The first 50 lines, oldest first */
            path: {
              stepId: string;
              at: string;
              outcome: string;
              data: Record<string, unknown>;
              /** One sentence */
              why: string;
            }[];
            linesLeftOut: number;
          }[];
          assumptions: {
            code:
              | 'PROFILES_NOW'
              | 'STATUS_THEN'
              | 'ENROLLED_BEFORE'
              | 'EFFECTS_NOT_APPLIED'
              | 'MAIL_UNANSWERED'
              | 'WEBHOOKS_SUCCEED'
              | 'MANUAL_NOT_SIMULATED'
              | 'DATES_NOW'
              | 'GROUP_IGNORED'
              | 'STARTS_NOT_RECORDED'
              | 'DELETED_LEFT_OUT'
              | 'FILTERS_FAILED'
              | 'EVENTS_CUT';
            message: string;
          }[];
        };
      };
    };
  };
  /** Lists workflow groups with their conflict strategy and the number of assigned workflows. */
  list_workflow_groups: {
    input: {
      /** Substring of the name, without case */
      query?: string | undefined;
      limit?: number | undefined;
    };
    data: {
      groups: {
        id: string;
        name: string;
        conflictStrategy: 'CANCEL_EXISTING' | 'SKIP_NEW' | 'RUN_FIRST_STEP';
        workflowsCount: number;
        updatedAt: string;
      }[];
      total: number;
    };
  };
  /** Returns a group with its workflows and the number of unfinished runs of each. */
  get_workflow_group: {
    input: {
      groupId: string;
    };
    data: {
      group: {
        id: string;
        name: string;
        conflictStrategy: 'CANCEL_EXISTING' | 'SKIP_NEW' | 'RUN_FIRST_STEP';
        workflowsCount: number;
        updatedAt: string;
      };
      groupId: string;
      workflows: {
        id: string;
        name: string;
        status: 'DRAFT' | 'ACTIVE' | 'PAUSED' | 'ARCHIVED';
        groupId: string | null;
        activeSubscribers: number;
        createdAt: string;
        updatedAt: string;
      }[];
      activeRuns: {
        workflowId: string;
        count: number;
      }[];
    };
  };
  /** Creates a group. Its strategy applies when a subscriber enters one of its workflows while in another. */
  create_workflow_group: {
    input: {
      name: string;
      conflictStrategy?: 'CANCEL_EXISTING' | 'SKIP_NEW' | 'RUN_FIRST_STEP' | undefined;
    };
    data: {
      group: {
        id: string;
        name: string;
        conflictStrategy: 'CANCEL_EXISTING' | 'SKIP_NEW' | 'RUN_FIRST_STEP';
        workflowsCount: number;
        updatedAt: string;
      };
      groupId: string;
    };
  };
  /** Updates the name or the conflict strategy of a group. */
  update_workflow_group: {
    input: {
      groupId: string;
      /** The exact updatedAt of a fresh read */
      expectedUpdatedAt: string;
      name?: string | undefined;
      conflictStrategy?: 'CANCEL_EXISTING' | 'SKIP_NEW' | 'RUN_FIRST_STEP' | undefined;
    };
    data: {
      group: {
        id: string;
        name: string;
        conflictStrategy: 'CANCEL_EXISTING' | 'SKIP_NEW' | 'RUN_FIRST_STEP';
        workflowsCount: number;
        updatedAt: string;
      };
      groupId: string;
    };
  };
  /** Assigns a workflow to a group, or detaches it with groupId null. */
  set_workflow_group: {
    input: {
      workflowId: string;
      /** The exact updatedAt of a fresh read */
      expectedUpdatedAt: string;
      /** null detaches */
      groupId: string | null;
    };
    data: {
      workflow: {
        id: string;
        name: string;
        status: 'DRAFT' | 'ACTIVE' | 'PAUSED' | 'ARCHIVED';
        groupId: string | null;
        activeSubscribers: number;
        createdAt: string;
        updatedAt: string;
        draft: {
          steps: {
            /** Chosen by the caller: letters, digits, _ and -, unique in the graph */
            id: string;
            /** TRIGGER, EMAIL, WAIT, WAIT_UNTIL, CONDITION, SPLIT, ACTION, MOVE_TO_STEP, GOAL or EXIT */
            type: string;
            name?: string | undefined;
            config?: Record<string, unknown> | undefined;
            [key: string]: unknown;
          }[];
          edges: {
            source: string;
            target: string;
            /** TRUE or FALSE of a CONDITION, MATCHED or TIMEOUT of a WAIT_UNTIL, or a name of a SPLIT */
            branch?: (string | null) | undefined;
            [key: string]: unknown;
          }[];
        };
        emails: {
          stepId: string;
          campaignId: string;
          subject: string;
          preview: string | null;
          content: unknown;
          contentType: 'MAILY' | 'PLATE' | 'MARKDOWN';
          senderId: string | null;
          replyTo: string | null;
        }[];
        published: {
          steps: {
            /** Chosen by the caller: letters, digits, _ and -, unique in the graph */
            id: string;
            /** TRIGGER, EMAIL, WAIT, WAIT_UNTIL, CONDITION, SPLIT, ACTION, MOVE_TO_STEP, GOAL or EXIT */
            type: string;
            name?: string | undefined;
            config?: Record<string, unknown> | undefined;
            [key: string]: unknown;
          }[];
          edges: {
            source: string;
            target: string;
            /** TRUE or FALSE of a CONDITION, MATCHED or TIMEOUT of a WAIT_UNTIL, or a name of a SPLIT */
            branch?: (string | null) | undefined;
            [key: string]: unknown;
          }[];
          version: number;
          publishedAt: string;
          settings: {
            reentry?: 'ONCE' | 'AFTER_FINISH' | 'ALWAYS' | undefined;
            exitOnUnsubscribe?: boolean | undefined;
            timezone?: (string | null) | undefined;
            [key: string]: unknown;
          };
          successGoals: {
            id?: string | undefined;
            name?: string | undefined;
            filters?:
              | {
                  /** STRING, NUMBER, DATE, TAG, FIELD, SEGMENT, CAMPAIGN, WORKFLOW, EVENT, SYSTEM or GROUP */
                  type: string;
                  field?: string | undefined;
                  operator?: string | undefined;
                  [key: string]: unknown;
                }[]
              | undefined;
            [key: string]: unknown;
          }[];
        } | null;
        difference: {
          stepsAdded: string[];
          stepsRemoved: string[];
          stepsChanged: string[];
          edges: boolean;
          settings: boolean;
          successGoals: boolean;
        } | null;
        settings: {
          reentry?: 'ONCE' | 'AFTER_FINISH' | 'ALWAYS' | undefined;
          exitOnUnsubscribe?: boolean | undefined;
          timezone?: (string | null) | undefined;
          [key: string]: unknown;
        };
        successGoals: {
          id?: string | undefined;
          name?: string | undefined;
          filters?:
            | {
                /** STRING, NUMBER, DATE, TAG, FIELD, SEGMENT, CAMPAIGN, WORKFLOW, EVENT, SYSTEM or GROUP */
                type: string;
                field?: string | undefined;
                operator?: string | undefined;
                [key: string]: unknown;
              }[]
            | undefined;
          [key: string]: unknown;
        }[];
        stats: {
          enrolled: number;
          completed: number;
          canceled: number;
          failed: number;
          conversions: number;
          skipped: {
            reason: string;
            count: number;
          }[];
          goals: {
            id: string;
            name: string;
            conversions: number;
          }[];
          steps: {
            stepId: string;
            entered: number;
            waiting: number;
            left: Record<string, number>;
            emails?:
              | {
                  sent: number;
                  opened: number;
                  clicked: number;
                }
              | undefined;
          }[];
        };
        enrolments: {
          jobId: string;
          status: 'RUNNING' | 'DONE' | 'FAILED';
          matched: number;
          enrolled: number;
          skipped: {
            reason: string;
            count: number;
          }[];
          createdAt: string;
          finishedAt: string | null;
          failure?: string | undefined;
        }[];
      };
      workflowId: string;
    };
  };
  /** Deletes a group permanently. Its workflows are kept. */
  delete_workflow_group: {
    input: {
      groupId: string;
      expectedName: string;
      /** The exact updatedAt of a fresh read */
      expectedUpdatedAt: string;
      unassignWorkflows?: boolean | undefined;
    };
    data: {
      deleted: true;
    };
  };
  /** Lists the sending domains with their verification status and DNS records. */
  list_domains: {
    input: Record<string, never>;
    data: {
      domains: {
        id: string;
        domain: string;
        status: 'PENDING' | 'VERIFIED' | 'FAILED';
        sandbox: boolean;
        dkim: 'PENDING' | 'VERIFIED' | 'FAILED';
        mailFrom: 'PENDING' | 'VERIFIED' | 'FAILED';
        records: {
          type: 'TXT' | 'MX';
          /** Absolute; many DNS providers expect it without the domain at the end */
          name: string;
          value: string;
          purpose: 'VERIFICATION' | 'DKIM' | 'MAIL_FROM_MX' | 'MAIL_FROM_SPF' | 'DMARC';
          /** Whether the domain must have it to be VERIFIED */
          required: boolean;
          status: 'PENDING' | 'VERIFIED' | 'FAILED';
          /** What DNS returned at the last check */
          found: string[];
          /** What to change; null if nothing */
          advice: string | null;
        }[];
        checkedAt: string | null;
        /** Since when a VERIFIED domain lacks a required record */
        failingSince: string | null;
        createdAt: string;
      }[];
      total: number;
    };
  };
  /** Registers a sending domain and returns the DNS records to add. Call verify_domain afterwards. */
  create_domain: {
    input: {
      /** A host name such as example.org; it may be international */
      domain: string;
    };
    data: {
      domain: {
        id: string;
        domain: string;
        status: 'PENDING' | 'VERIFIED' | 'FAILED';
        sandbox: boolean;
        dkim: 'PENDING' | 'VERIFIED' | 'FAILED';
        mailFrom: 'PENDING' | 'VERIFIED' | 'FAILED';
        records: {
          type: 'TXT' | 'MX';
          /** Absolute; many DNS providers expect it without the domain at the end */
          name: string;
          value: string;
          purpose: 'VERIFICATION' | 'DKIM' | 'MAIL_FROM_MX' | 'MAIL_FROM_SPF' | 'DMARC';
          /** Whether the domain must have it to be VERIFIED */
          required: boolean;
          status: 'PENDING' | 'VERIFIED' | 'FAILED';
          /** What DNS returned at the last check */
          found: string[];
          /** What to change; null if nothing */
          advice: string | null;
        }[];
        checkedAt: string | null;
        /** Since when a VERIFIED domain lacks a required record */
        failingSince: string | null;
        createdAt: string;
      };
    };
  };
  /** Returns the DNS records of a sending domain with the status of each at the last check. */
  get_domain_dns_records: {
    input: {
      domainId: string;
    };
    data: {
      domain: {
        id: string;
        domain: string;
        status: 'PENDING' | 'VERIFIED' | 'FAILED';
        sandbox: boolean;
        dkim: 'PENDING' | 'VERIFIED' | 'FAILED';
        mailFrom: 'PENDING' | 'VERIFIED' | 'FAILED';
        records: {
          type: 'TXT' | 'MX';
          /** Absolute; many DNS providers expect it without the domain at the end */
          name: string;
          value: string;
          purpose: 'VERIFICATION' | 'DKIM' | 'MAIL_FROM_MX' | 'MAIL_FROM_SPF' | 'DMARC';
          /** Whether the domain must have it to be VERIFIED */
          required: boolean;
          status: 'PENDING' | 'VERIFIED' | 'FAILED';
          /** What DNS returned at the last check */
          found: string[];
          /** What to change; null if nothing */
          advice: string | null;
        }[];
        checkedAt: string | null;
        /** Since when a VERIFIED domain lacks a required record */
        failingSince: string | null;
        createdAt: string;
      };
      records: {
        type: 'TXT' | 'MX';
        /** Absolute; many DNS providers expect it without the domain at the end */
        name: string;
        value: string;
        purpose: 'VERIFICATION' | 'DKIM' | 'MAIL_FROM_MX' | 'MAIL_FROM_SPF' | 'DMARC';
        /** Whether the domain must have it to be VERIFIED */
        required: boolean;
        status: 'PENDING' | 'VERIFIED' | 'FAILED';
        /** What DNS returned at the last check */
        found: string[];
        /** What to change; null if nothing */
        advice: string | null;
      }[];
    };
  };
  /** Checks the DNS records of a sending domain now: verification, DKIM, MAIL FROM and DMARC. */
  verify_domain: {
    input: {
      domainId: string;
    };
    data: {
      domain: {
        id: string;
        domain: string;
        status: 'PENDING' | 'VERIFIED' | 'FAILED';
        sandbox: boolean;
        dkim: 'PENDING' | 'VERIFIED' | 'FAILED';
        mailFrom: 'PENDING' | 'VERIFIED' | 'FAILED';
        records: {
          type: 'TXT' | 'MX';
          /** Absolute; many DNS providers expect it without the domain at the end */
          name: string;
          value: string;
          purpose: 'VERIFICATION' | 'DKIM' | 'MAIL_FROM_MX' | 'MAIL_FROM_SPF' | 'DMARC';
          /** Whether the domain must have it to be VERIFIED */
          required: boolean;
          status: 'PENDING' | 'VERIFIED' | 'FAILED';
          /** What DNS returned at the last check */
          found: string[];
          /** What to change; null if nothing */
          advice: string | null;
        }[];
        checkedAt: string | null;
        /** Since when a VERIFIED domain lacks a required record */
        failingSince: string | null;
        createdAt: string;
      };
      warnings: string[];
    };
  };
  /** Adds a from-address on a VERIFIED sending domain. */
  create_email_sender: {
    input: {
      displayName: string;
      /** The part before the @ */
      localPart: string;
      domainId: string;
      replyTo?: ((string | string[]) | null) | undefined;
    };
    data: {
      sender: {
        id: string;
        displayName: string;
        localPart: string;
        domain: string;
        email: string;
        replyTo: string | null;
        isDefault: boolean;
      };
    };
  };
  /** Lists the web domains (host names for pages and tracked links) with their verification status. */
  list_web_domains: {
    input: Record<string, never>;
    data: {
      webDomains: {
        id: string;
        hostname: string;
        status: 'PENDING' | 'VERIFIED' | 'FAILED';
        /** The CNAME record to add */
        cname: {
          name: string;
          value: string;
        };
        found: string[];
        advice: string | null;
        checkedAt: string | null;
        failingSince: string | null;
        createdAt: string;
      }[];
      total: number;
    };
  };
  /** Returns a web domain by id or host name, with the CNAME record to add. */
  get_web_domain: {
    input: {
      /** A wdom_ id or a host name */
      domainId: string;
    };
    data: {
      webDomain: {
        id: string;
        hostname: string;
        status: 'PENDING' | 'VERIFIED' | 'FAILED';
        /** The CNAME record to add */
        cname: {
          name: string;
          value: string;
        };
        found: string[];
        advice: string | null;
        checkedAt: string | null;
        failingSince: string | null;
        createdAt: string;
      };
    };
  };
  /** Checks the CNAME record of a web domain now. For sending domains, use verify_domain. */
  verify_web_domain: {
    input: {
      /** A wdom_ id or a host name */
      domainId: string;
    };
    data: {
      webDomain: {
        id: string;
        hostname: string;
        status: 'PENDING' | 'VERIFIED' | 'FAILED';
        /** The CNAME record to add */
        cname: {
          name: string;
          value: string;
        };
        found: string[];
        advice: string | null;
        checkedAt: string | null;
        failingSince: string | null;
        createdAt: string;
      };
      warnings: string[];
    };
  };
  /** Lists the configured from-addresses, the default one first. */
  get_email_senders: {
    input: Record<string, never>;
    data: {
      senders: {
        id: string;
        displayName: string;
        localPart: string;
        domain: string;
        email: string;
        replyTo: string | null;
        isDefault: boolean;
      }[];
      total: number;
    };
  };
  /** Updates the name and the time zone of the organization. */
  update_organization_settings: {
    input: {
      name?: string | undefined;
      /** An IANA name such as Europe/Paris */
      timezone?: string | undefined;
    };
    data: {
      organization: {
        id: string;
        name: string;
        timezone: string;
        address: string | null;
        plan: 'FREE' | 'PREMIUM' | 'ENTERPRISE';
        doubleOptIn: boolean;
        createdAt: string;
        updatedAt: string;
      };
    };
  };
  /** Adds a web domain (host name for pages and tracked links) and returns the CNAME record to add. */
  create_web_domain: {
    input: {
      /** A host name such as links.example.org */
      hostname: string;
    };
    data: {
      webDomain: {
        id: string;
        hostname: string;
        status: 'PENDING' | 'VERIFIED' | 'FAILED';
        /** The CNAME record to add */
        cname: {
          name: string;
          value: string;
        };
        found: string[];
        advice: string | null;
        checkedAt: string | null;
        failingSince: string | null;
        createdAt: string;
      };
    };
  };
  /** Deletes a web domain. New mail then carries the host name of the installation. */
  delete_web_domain: {
    input: {
      /** A wdom_ id or a host name */
      domainId: string;
    };
    data: {
      deleted: true;
      webDomain: {
        id: string;
        hostname: string;
      };
    };
  };
  /** Deletes a sending domain with its senders and DKIM keys. */
  delete_domain: {
    input: {
      domainId: string;
    };
    data: {
      deleted: true;
      /** Number of deleted senders */
      senders: number;
    };
  };
  /** Updates the display name or the reply-to address of a sender. */
  update_email_sender: {
    input: {
      senderId: string;
      displayName?: string | undefined;
      replyTo?: ((string | string[]) | null) | undefined;
    };
    data: {
      sender: {
        id: string;
        displayName: string;
        localPart: string;
        domain: string;
        email: string;
        replyTo: string | null;
        isDefault: boolean;
      };
    };
  };
  /** Deletes a sender. */
  delete_email_sender: {
    input: {
      senderId: string;
    };
    data: {
      deleted: true;
      sender: {
        id: string;
        displayName: string;
        localPart: string;
        domain: string;
        email: string;
        replyTo: string | null;
        isDefault: boolean;
      };
    };
  };
  /** Sets the default sender of the organization. */
  set_default_sender: {
    input: {
      senderId: string;
    };
    data: {
      sender: {
        id: string;
        displayName: string;
        localPart: string;
        domain: string;
        email: string;
        replyTo: string | null;
        isDefault: boolean;
      };
    };
  };
  /** Lists the events of the organization that a service could not apply, the oldest first. */
  list_dead_letters: {
    input: {
      service?: 'subscriber' | 'campaign' | 'workflow' | 'delivery' | 'domain' | undefined;
      /** Name of the event, such as message.bounced */
      event?: string | undefined;
      limit?: number | undefined;
      cursor?: string | undefined;
    };
    data: {
      deadLetters: {
        id: string;
        event: string;
        error: string;
        attempts: number;
        failedAt: string;
        service: 'subscriber' | 'campaign' | 'workflow' | 'delivery' | 'domain';
      }[];
      total: number;
      /** Services that did not respond; their dead letters are missing */
      unavailable: ('subscriber' | 'campaign' | 'workflow' | 'delivery' | 'domain')[];
      nextCursor: string | null;
    };
  };
  /** Returns one dead letter with the payload of its event. */
  get_dead_letter: {
    input: {
      id: string;
    };
    data: {
      deadLetter: {
        id: string;
        event: string;
        error: string;
        attempts: number;
        failedAt: string;
        service: 'subscriber' | 'campaign' | 'workflow' | 'delivery' | 'domain';
        state: 'OPEN' | 'RETRIED' | 'DISCARDED';
        payload: Record<string, unknown>;
      };
    };
  };
  /** Applies dead letters again: those with the given ids, or those of one service. */
  retry_dead_letters: {
    input: {
      ids?: string[] | undefined;
      service?: 'subscriber' | 'campaign' | 'workflow' | 'delivery' | 'domain' | undefined;
    };
    data: {
      retried: number;
      failed: {
        id: string;
        event: string;
        error: string;
        attempts: number;
        failedAt: string;
        service: 'subscriber' | 'campaign' | 'workflow' | 'delivery' | 'domain';
      }[];
    };
  };
  /** Discards dead letters, so that they are never applied. */
  discard_dead_letters: {
    input: {
      ids: string[];
      reason: string;
    };
    data: {
      discarded: number;
    };
  };
  /** Returns how long data of the organization is kept, and how much is deleted in the next night. */
  get_retention: {
    input: Record<string, never>;
    data: {
      retention: {
        data: 'messages' | 'onlineVersions' | 'campaignActivity' | 'subscriberEvents' | 'runs';
        /** Months that the organization has set; null: as the installation */
        period: number | null;
        /** Months; null: without limit */
        installation: number | null;
        /** Shortest period, in months */
        min: number;
        /** Rows that are deleted in the next night, counted up to 100000 */
        deletesNow: number;
      }[];
    };
  };
  /** Sets for how many months data of the organization is kept. Older data is deleted by night. */
  set_retention: {
    input: {
      /** Months, from 3 on; null: as the installation */
      messages?: (number | null) | undefined;
      /** Months, from 1 on; null: as the installation */
      onlineVersions?: (number | null) | undefined;
      /** Months, from 3 on; null: as the installation */
      campaignActivity?: (number | null) | undefined;
      /** Months, from 1 on; null: as the installation */
      subscriberEvents?: (number | null) | undefined;
      /** Months, from 1 on; null: as the installation */
      runs?: (number | null) | undefined;
    };
    data: {
      retention: {
        data: 'messages' | 'onlineVersions' | 'campaignActivity' | 'subscriberEvents' | 'runs';
        /** Months that the organization has set; null: as the installation */
        period: number | null;
        /** Months; null: without limit */
        installation: number | null;
        /** Shortest period, in months */
        min: number;
        /** Rows that are deleted in the next night, counted up to 100000 */
        deletesNow: number;
      }[];
    };
  };
  /** Sends one transactional email, such as a receipt or a password reset, to one recipient and optional cc recipients. */
  send_email: {
    input: {
      from: string;
      to: string | string[];
      subject: string;
      html?: string | undefined;
      tiptap?: unknown | undefined;
      text?: string | undefined;
      reply_to?: (string | string[]) | undefined;
      replyTo?: (string | string[]) | undefined;
      cc?: string[] | undefined;
      headers?: Record<string, string> | undefined;
      tags?:
        | {
            name: string;
            value: string;
          }[]
        | undefined;
      preview?: string | undefined;
      idempotencyKey?: string | undefined;
    };
    data: {
      id: string;
      status: 'QUEUED';
      /** The Message-ID header, with its angle brackets */
      messageId: string;
      warnings?: string[] | undefined;
    };
  };
  /** Lists the emails sent to one subscriber, newest first, with their delivery status. */
  get_subscriber_emails: {
    input: {
      subscriberId?: string | undefined;
      email?: string | undefined;
      status?: 'PENDING' | 'SENT' | 'DELIVERED' | 'BOUNCED' | 'COMPLAINED' | undefined;
      limit?: number | undefined;
    };
    data: {
      emails: {
        id: string;
        campaignId: string | null;
        campaignName: string | null;
        subject: string;
        status: 'PENDING' | 'SENT' | 'DELIVERED' | 'BOUNCED' | 'COMPLAINED';
        /** Sent to a test address: the mail was simulated */
        simulated: boolean;
        tags: {
          name: string;
          value: string;
        }[];
        sentAt: string | null;
        deliveredAt: string | null;
        openedAt: string | null;
        clickedAt: string | null;
      }[];
    };
  };
  /** Returns the sender's deliverability: an all-time trust score or, with sinceDays, a report for that period with verdicts and advice. */
  get_deliverability_health: {
    input: {
      sinceDays?: number | undefined;
    };
    data: {
      trustScore?: number | undefined;
      level?: 'LOW' | 'MEDIUM' | 'HIGH' | undefined;
      signals?:
        | {
            metric: 'complaintRate' | 'bounceRate' | 'dns' | 'alignment' | 'unsubscribeLatency' | 'content';
            /** A fraction for rates, seconds for the latency, else the number of domains or campaigns with a problem */
            value: number;
            /** The threshold that was crossed; for OK, the WARN threshold */
            threshold: number;
            verdict: 'OK' | 'WARN' | 'CRITICAL';
            advice: string;
          }[]
        | undefined;
      window?:
        | {
            sinceDays: number;
            from: string;
            to: string;
          }
        | undefined;
      /** Messages that a mail server accepted or rejected */
      sent?: number | undefined;
      delivered?: number | undefined;
      bounced?: number | undefined;
      complained?: number | undefined;
      rates?:
        | {
            delivery: number;
            bounce: number;
            complaint: number;
          }
        | undefined;
      verdicts?:
        | {
            metric: 'complaintRate' | 'bounceRate' | 'dns' | 'alignment' | 'unsubscribeLatency' | 'content';
            /** A fraction for rates, seconds for the latency, else the number of domains or campaigns with a problem */
            value: number;
            /** The threshold that was crossed; for OK, the WARN threshold */
            threshold: number;
            verdict: 'OK' | 'WARN' | 'CRITICAL';
            advice: string;
          }[]
        | undefined;
    };
  };
  /** Returns who the caller is: the user or token, the organization, the rights and the rate limit. */
  get_me: {
    input: Record<string, never>;
    data: {
      actor: {
        kind: 'TOKEN' | 'USER' | 'OPERATOR' | 'SERVICE';
        id: string;
        name: string;
        email: string | null;
        operator: boolean;
      };
      organization: {
        id: string;
        number: number;
        name: string;
      };
      role: 'viewer' | 'editor' | 'approver' | 'admin' | 'owner' | null;
      scopes: ('read' | 'write' | 'test' | 'send' | 'approve' | 'admin')[];
      asks: boolean;
      /** Of a token that is bound to toolsets */
      toolsets?: string[] | undefined;
      /** Calls a minute */
      rateLimit: number;
      organizations: {
        id: string;
        number: number;
        name: string;
        role: 'viewer' | 'editor' | 'approver' | 'admin' | 'owner';
      }[];
    };
  };
  /** Lists the members of the organization with their roles. */
  list_members: {
    input: Record<string, never>;
    data: {
      members: {
        id: string;
        email: string;
        name: string;
        role: 'viewer' | 'editor' | 'approver' | 'admin' | 'owner';
        secondFactor: boolean;
        lastSeenAt: string | null;
      }[];
    };
  };
  /** Invites an address to join the organization with a role, by a link that is valid for 7 days. */
  invite_member: {
    input: {
      email: string;
      role: 'viewer' | 'editor' | 'approver' | 'admin' | 'owner';
    };
    data: {
      invitation: {
        id: string;
        email: string;
        role: 'viewer' | 'editor' | 'approver' | 'admin' | 'owner';
        /** Name of the member who invited */
        invitedBy: string | null;
        expiresAt: string;
      };
      link?: string | undefined;
    };
  };
  /** Lists the open invitations of the organization. */
  list_invitations: {
    input: Record<string, never>;
    data: {
      invitations: {
        id: string;
        email: string;
        role: 'viewer' | 'editor' | 'approver' | 'admin' | 'owner';
        /** Name of the member who invited */
        invitedBy: string | null;
        expiresAt: string;
      }[];
    };
  };
  /** Revokes an open invitation; its link ends at once. */
  revoke_invitation: {
    input: {
      invitationId: string;
    };
    data: {
      revoked: true;
    };
  };
  /** Changes the role of a member. It takes effect within a second, also in open sessions. */
  update_member_role: {
    input: {
      userId: string;
      role: 'viewer' | 'editor' | 'approver' | 'admin' | 'owner';
    };
    data: {
      member: {
        id: string;
        email: string;
        name: string;
        role: 'viewer' | 'editor' | 'approver' | 'admin' | 'owner';
        secondFactor: boolean;
        lastSeenAt: string | null;
      };
    };
  };
  /** Removes a member from the organization. Their sessions and PERSONAL tokens lose it within a second. */
  remove_member: {
    input: {
      userId: string;
    };
    data: {
      removed: true;
      /** Personal tokens that ended */
      tokens: number;
    };
  };
  /** Ends all sessions of a member at once. */
  end_member_sessions: {
    input: {
      userId: string;
    };
    data: {
      ended: number;
    };
  };
  /** Mails a member a link to choose a new password. Admins never learn or set a password. */
  send_password_reset: {
    input: {
      userId: string;
    };
    data: {
      sent: boolean;
    };
  };
  /** Removes the second factors of a member who lost them, ends their sessions and informs them by mail. */
  reset_member_factors: {
    input: {
      userId: string;
    };
    data: {
      /** Second factors that were removed */
      removed: number;
      ended: number;
    };
  };
  /** Lists calls that wait for, or had, the approval of a person; the newest first. */
  list_approvals: {
    input: {
      states?:
        | ('PENDING' | 'EXECUTING' | 'EXECUTED' | 'FAILED' | 'REJECTED' | 'EXPIRED' | 'WITHDRAWN' | 'APPROVED')[]
        | undefined;
      /** Only those that the caller asked for */
      mine?: boolean | undefined;
      cursor?: string | undefined;
      limit?: number | undefined;
    };
    data: {
      approvals: {
        id: string;
        state: 'PENDING' | 'EXECUTING' | 'EXECUTED' | 'FAILED' | 'REJECTED' | 'EXPIRED' | 'WITHDRAWN' | 'APPROVED';
        tool: string;
        message: string;
        subject: {
          noun: string;
          id: string | null;
          name: string;
          updatedAt: string | null;
        } | null;
        asker: {
          kind: 'TOKEN' | 'USER';
          id: string;
          name: string;
        };
        askedAt: string;
        expiresAt: string;
      }[];
      pending: number;
      nextCursor: string | null;
    };
  };
  /** Returns a call that needs approval: its parameters, a rendered preview, the changes and its state. */
  get_approval: {
    input: {
      approvalId: string;
    };
    data: {
      approval: {
        id: string;
        state: 'PENDING' | 'EXECUTING' | 'EXECUTED' | 'FAILED' | 'REJECTED' | 'EXPIRED' | 'WITHDRAWN' | 'APPROVED';
        tool: string;
        message: string;
        subject: {
          noun: string;
          id: string | null;
          name: string;
          updatedAt: string | null;
        } | null;
        asker: {
          kind: 'TOKEN' | 'USER';
          id: string;
          name: string;
        };
        askedAt: string;
        expiresAt: string;
        action: string;
        /** null for callers who may not see it */
        parameters: Record<string, unknown> | null;
        facts: {
          label: string;
          value: string;
        }[];
        preview: {
          subject: string;
          preview: string | null;
          html: string;
          text: string;
          renderedFor: string | null;
        } | null;
        diff: {
          path: string;
          before: unknown;
          after: unknown;
        }[];
        contentHash: string;
        /** Whether approving would be refused because the content changed; null when it is not PENDING or unknown */
        stale: boolean | null;
        decidedAt: string | null;
        decidedBy: string | null;
        note: string | null;
        /** Of an executed call: its data, or its refusal */
        result?: unknown | undefined;
      };
    };
  };
  /** Approves or rejects a call. Approving carries it out, in the name of the asker. */
  decide_approval: {
    input: {
      approvalId: string;
      approved: boolean;
      seen?: string | undefined;
      note?: string | undefined;
    };
    data: {
      approval: {
        id: string;
        state: 'PENDING' | 'EXECUTING' | 'EXECUTED' | 'FAILED' | 'REJECTED' | 'EXPIRED' | 'WITHDRAWN' | 'APPROVED';
        tool: string;
        message: string;
        subject: {
          noun: string;
          id: string | null;
          name: string;
          updatedAt: string | null;
        } | null;
        asker: {
          kind: 'TOKEN' | 'USER';
          id: string;
          name: string;
        };
        askedAt: string;
        expiresAt: string;
        action: string;
        /** null for callers who may not see it */
        parameters: Record<string, unknown> | null;
        facts: {
          label: string;
          value: string;
        }[];
        preview: {
          subject: string;
          preview: string | null;
          html: string;
          text: string;
          renderedFor: string | null;
        } | null;
        diff: {
          path: string;
          before: unknown;
          after: unknown;
        }[];
        contentHash: string;
        /** Whether approving would be refused because the content changed; null when it is not PENDING or unknown */
        stale: boolean | null;
        decidedAt: string | null;
        decidedBy: string | null;
        note: string | null;
        /** Of an executed call: its data, or its refusal */
        result?: unknown | undefined;
      };
      result?: unknown | undefined;
    };
  };
  /** Withdraws one of the caller's own calls from approval. */
  withdraw_approval: {
    input: {
      approvalId: string;
    };
    data: {
      withdrawn: true;
    };
  };
  /** Lists the sends of campaigns, newest first, with their state. */
  list_sends: {
    input: {
      state?: 'RUNNING' | 'PAUSED' | 'STOPPED' | 'DONE' | undefined;
      /** nextCursor of the previous page: the id of its last send */
      cursor?: string | undefined;
      limit?: number | undefined;
    };
    data: {
      sends: {
        sendId: string;
        campaignId: string;
        campaignName: string;
        state: 'RUNNING' | 'PAUSED' | 'STOPPED' | 'DONE';
        total: number;
        startedAt: string;
        finishedAt: string | null;
      }[];
      nextCursor: string | null;
    };
  };
  /** Returns the progress of a send with its chunks, what it waits for, the relay and the remaining time. */
  get_send: {
    input: {
      sendId?: string | undefined;
      campaignId?: string | undefined;
    };
    data: {
      send: {
        sendId: string;
        campaignId: string;
        state: 'RUNNING' | 'PAUSED' | 'STOPPED' | 'DONE';
        pausedReason: string | null;
        total: number;
        pending: number;
        deferred: number;
        sent: number;
        delivered: number;
        bounced: number;
        failed: number;
        skipped: Record<string, number>;
        inDoubt: number;
        startedAt: string;
        finishedAt: string | null;
        ratePerSecond: number;
        waitingFor: string | null;
        campaignName: string;
        chunks: {
          ready: number;
          leased: number;
          done: number;
        };
        relay: {
          relayId: string;
          backoffUntil: string | null;
          reason: string | null;
        };
        etaSeconds: number | null;
      };
    };
  };
  /** Lists messages of all kinds, newest first, by status, campaign, time and text. */
  list_messages: {
    input: {
      /** Substring of address or subject, without case */
      query?: string | undefined;
      status?:
        | 'PENDING'
        | 'SENT'
        | 'DELIVERED'
        | 'BOUNCED'
        | 'COMPLAINED'
        | 'FAILED'
        | 'SKIPPED'
        | 'IN_DOUBT'
        | undefined;
      campaignId?: string | undefined;
      from?: string | undefined;
      to?: string | undefined;
      /** nextCursor of the previous page */
      cursor?: string | undefined;
      limit?: number | undefined;
    };
    data: {
      messages: {
        subscriberId: string | null;
        email: string;
        messageId: string;
        status: 'PENDING' | 'SENT' | 'DELIVERED' | 'BOUNCED' | 'COMPLAINED' | 'FAILED' | 'SKIPPED' | 'IN_DOUBT';
        reason: string | null;
        response: string | null;
        attempts: number;
        sentAt: string | null;
        deliveredAt: string | null;
        openedAt: string | null;
        clickedAt: string | null;
        campaignId: string | null;
        campaignName: string | null;
        subject: string;
        createdAt: string;
        dueAt: string | null;
        kind: 'CAMPAIGN' | 'WORKFLOW' | 'TRANSACTIONAL' | 'SMTP' | 'TEST';
        /** Sent to a test address: the mail was simulated */
        simulated: boolean;
      }[];
      nextCursor: string | null;
    };
  };
  /** Returns a message with the mail server's replies, and its content while that is kept. */
  get_message: {
    input: {
      messageId: string;
    };
    data: {
      message: {
        subscriberId: string | null;
        email: string;
        messageId: string;
        status: 'PENDING' | 'SENT' | 'DELIVERED' | 'BOUNCED' | 'COMPLAINED' | 'FAILED' | 'SKIPPED' | 'IN_DOUBT';
        reason: string | null;
        response: string | null;
        attempts: number;
        sentAt: string | null;
        deliveredAt: string | null;
        openedAt: string | null;
        clickedAt: string | null;
        campaignId: string | null;
        campaignName: string | null;
        subject: string;
        createdAt: string;
        dueAt: string | null;
        kind: 'CAMPAIGN' | 'WORKFLOW' | 'TRANSACTIONAL' | 'SMTP' | 'TEST';
        /** Sent to a test address: the mail was simulated */
        simulated: boolean;
      };
      replies: {
        /** REPLY for the answer to an attempt, else the class of the report */
        kind: string;
        at: string | null;
        code: number | null;
        enhancedCode: string | null;
        text: string;
      }[];
      content: {
        html: string | null;
        text: string | null;
      } | null;
    };
  };
  /** Creates an API token and returns its secret. */
  create_api_token: {
    input: {
      name: string;
      scopes: ('read' | 'write' | 'test' | 'send' | 'approve' | 'admin')[];
      expiresAt?: (string | null) | undefined;
      selfConfirm?: boolean | undefined;
      toolsets?:
        | (
            | 'tags'
            | 'subscribers'
            | 'campaigns'
            | 'workflows'
            | 'segments'
            | 'analytics'
            | 'settings'
            | 'skills'
            | 'email'
            | 'domains'
            | 'deliverability'
            | 'images'
            | 'transfer'
            | 'web'
            | 'members'
            | 'access'
            | 'core'
          )[]
        | undefined;
      kind?: 'ORGANIZATION' | 'PERSONAL' | undefined;
    };
    data: {
      token: {
        id: string;
        name: string;
        kind: 'ORGANIZATION' | 'PERSONAL';
        lastFour: string;
        scopes: ('read' | 'write' | 'test' | 'send' | 'approve' | 'admin')[];
        /** null: every tool of its scopes */
        toolsets: string[] | null;
        selfConfirm: boolean;
        /** null: the operator's command */
        createdBy: {
          id: string;
          name: string;
        } | null;
        createdAt: string;
        expiresAt: string | null;
        revokedAt: string | null;
        lastUsedAt: string | null;
      };
      /** The token itself; shown this once */
      secret: string;
    };
  };
  /** Lists the API tokens of the organization, the newest first. */
  list_api_tokens: {
    input: {
      includeEnded?: boolean | undefined;
    };
    data: {
      tokens: {
        id: string;
        name: string;
        kind: 'ORGANIZATION' | 'PERSONAL';
        lastFour: string;
        scopes: ('read' | 'write' | 'test' | 'send' | 'approve' | 'admin')[];
        /** null: every tool of its scopes */
        toolsets: string[] | null;
        selfConfirm: boolean;
        /** null: the operator's command */
        createdBy: {
          id: string;
          name: string;
        } | null;
        createdAt: string;
        expiresAt: string | null;
        revokedAt: string | null;
        lastUsedAt: string | null;
      }[];
    };
  };
  /** Renames an API token, or narrows its scopes, its toolsets or its life. */
  update_api_token: {
    input: {
      tokenId: string;
      name?: string | undefined;
      scopes?: ('read' | 'write' | 'test' | 'send' | 'approve' | 'admin')[] | undefined;
      toolsets?:
        | (
            | 'tags'
            | 'subscribers'
            | 'campaigns'
            | 'workflows'
            | 'segments'
            | 'analytics'
            | 'settings'
            | 'skills'
            | 'email'
            | 'domains'
            | 'deliverability'
            | 'images'
            | 'transfer'
            | 'web'
            | 'members'
            | 'access'
            | 'core'
          )[]
        | undefined;
      expiresAt?: string | undefined;
    };
    data: {
      token: {
        id: string;
        name: string;
        kind: 'ORGANIZATION' | 'PERSONAL';
        lastFour: string;
        scopes: ('read' | 'write' | 'test' | 'send' | 'approve' | 'admin')[];
        /** null: every tool of its scopes */
        toolsets: string[] | null;
        selfConfirm: boolean;
        /** null: the operator's command */
        createdBy: {
          id: string;
          name: string;
        } | null;
        createdAt: string;
        expiresAt: string | null;
        revokedAt: string | null;
        lastUsedAt: string | null;
      };
    };
  };
  /** Replaces the secret of an API token; its id and its rights stay. */
  rotate_api_token: {
    input: {
      tokenId: string;
      overlapHours?: number | undefined;
    };
    data: {
      token: {
        id: string;
        name: string;
        kind: 'ORGANIZATION' | 'PERSONAL';
        lastFour: string;
        scopes: ('read' | 'write' | 'test' | 'send' | 'approve' | 'admin')[];
        /** null: every tool of its scopes */
        toolsets: string[] | null;
        selfConfirm: boolean;
        /** null: the operator's command */
        createdBy: {
          id: string;
          name: string;
        } | null;
        createdAt: string;
        expiresAt: string | null;
        revokedAt: string | null;
        lastUsedAt: string | null;
      };
      /** The token itself; shown this once */
      secret: string;
      oldEndsAt: string;
    };
  };
  /** Revokes an API token at once. */
  revoke_api_token: {
    input: {
      tokenId: string;
    };
    data: {
      token: {
        id: string;
        name: string;
        kind: 'ORGANIZATION' | 'PERSONAL';
        lastFour: string;
        scopes: ('read' | 'write' | 'test' | 'send' | 'approve' | 'admin')[];
        /** null: every tool of its scopes */
        toolsets: string[] | null;
        selfConfirm: boolean;
        /** null: the operator's command */
        createdBy: {
          id: string;
          name: string;
        } | null;
        createdAt: string;
        expiresAt: string | null;
        revokedAt: string | null;
        lastUsedAt: string | null;
      };
    };
  };
  /** Lists calls that changed something or were to, and sign-ins: who, what, when; the newest first. */
  list_audit_entries: {
    input: {
      /** A tok_ or usr_ id */
      actorId?: string | undefined;
      /** A tool, an endpoint of v1, or an action such as sign_in */
      tool?: string | undefined;
      target?: string | undefined;
      /** OK, or the reason of a refusal */
      outcome?: string | undefined;
      source?: 'tools' | 'v1' | 'mcp' | 'session' | undefined;
      since?: string | undefined;
      until?: string | undefined;
      limit?: number | undefined;
      cursor?: string | undefined;
    };
    data: {
      entries: {
        id: string;
        at: string;
        actor: {
          kind: 'TOKEN' | 'USER' | 'OPERATOR' | 'SERVICE';
          id: string;
          name: string | null;
        };
        tool: string;
        target: string | null;
        source: 'tools' | 'v1' | 'mcp' | 'session';
        outcome: string;
        requestId: string;
        sessionId: string | null;
        /** null after 90 days */
        ip: string | null;
        approvedBy: {
          id: string;
          name: string | null;
        } | null;
      }[];
      nextCursor: string | null;
    };
  };
  /** Returns a link to the audit log as a CSV or JSON file. */
  export_audit_log: {
    input: {
      /** A tok_ or usr_ id */
      actorId?: string | undefined;
      /** A tool, an endpoint of v1, or an action such as sign_in */
      tool?: string | undefined;
      target?: string | undefined;
      /** OK, or the reason of a refusal */
      outcome?: string | undefined;
      source?: 'tools' | 'v1' | 'mcp' | 'session' | undefined;
      since?: string | undefined;
      until?: string | undefined;
      format?: 'CSV' | 'JSON' | undefined;
    };
    data: {
      downloadUrl: string;
      expiresAt: string;
    };
  };
  /** Returns the settings of the organization, its plan, its quotas and their use. */
  get_organization: {
    input: Record<string, never>;
    data: {
      organization: {
        id: string;
        name: string;
        timezone: string;
        address: string | null;
        plan: 'FREE' | 'PREMIUM' | 'ENTERPRISE';
        doubleOptIn: boolean;
        createdAt: string;
        updatedAt: string;
        number: number;
        currency: string;
        trackOpens: boolean;
        trackClicks: boolean;
        approvals: 'AGENTS' | 'ALL';
        approvalHours: number;
        tokenDaysMax: number | null;
        sendDelaySeconds: number;
        requireSecondFactor: boolean;
      };
      plan: 'FREE' | 'PREMIUM' | 'ENTERPRISE';
      /** null: without a bound */
      quotas: Record<string, number | null>;
      /** Of each quota; null while its service does not respond */
      usage: Record<string, number | null>;
    };
  };
  /** Updates the settings of the organization. */
  update_organization: {
    input: {
      name?: string | undefined;
      /** An IANA name such as Europe/Paris */
      timezone?: string | undefined;
      /** Postal address for footers */
      address?: (string | null) | undefined;
      currency?: string | undefined;
      doubleOptIn?: boolean | undefined;
      trackOpens?: boolean | undefined;
      trackClicks?: boolean | undefined;
      approvals?: 'AGENTS' | 'ALL' | undefined;
      /** Hours for which a call waits for approval */
      approvalHours?: number | undefined;
      /** Longest life of new tokens; null: any */
      tokenDaysMax?: (number | null) | undefined;
      requireSecondFactor?: boolean | undefined;
      sendDelaySeconds?: number | undefined;
    };
    data: {
      organization: {
        id: string;
        name: string;
        timezone: string;
        address: string | null;
        plan: 'FREE' | 'PREMIUM' | 'ENTERPRISE';
        doubleOptIn: boolean;
        createdAt: string;
        updatedAt: string;
        number: number;
        currency: string;
        trackOpens: boolean;
        trackClicks: boolean;
        approvals: 'AGENTS' | 'ALL';
        approvalHours: number;
        tokenDaysMax: number | null;
        sendDelaySeconds: number;
        requireSecondFactor: boolean;
      };
      plan: 'FREE' | 'PREMIUM' | 'ENTERPRISE';
      /** null: without a bound */
      quotas: Record<string, number | null>;
      /** Of each quota; null while its service does not respond */
      usage: Record<string, number | null>;
    };
  };
  /** Lists the organizations of this installation. For its operators. */
  list_organizations: {
    input: Record<string, never>;
    data: {
      organizations: {
        id: string;
        name: string;
        timezone: string;
        address: string | null;
        plan: 'FREE' | 'PREMIUM' | 'ENTERPRISE';
        doubleOptIn: boolean;
        createdAt: string;
        updatedAt: string;
        number: number;
        ratePerMinute: number;
        currency: string;
        quotas: Record<string, number | null>;
        cell: string | null;
      }[];
    };
  };
  /** Creates an organization that can send at once from its sandbox domain. For operators of the installation. */
  create_organization: {
    input: {
      name: string;
      cell?: (string | null) | undefined;
    };
    data: {
      organization: {
        id: string;
        name: string;
        timezone: string;
        address: string | null;
        plan: 'FREE' | 'PREMIUM' | 'ENTERPRISE';
        doubleOptIn: boolean;
        createdAt: string;
        updatedAt: string;
        number: number;
        ratePerMinute: number;
        currency: string;
        quotas: Record<string, number | null>;
        cell: string | null;
      };
      sender: {
        id: string;
        displayName: string;
        localPart: string;
        domain: string;
        email: string;
        replyTo: string | null;
        isDefault: boolean;
      };
    };
  };
  /** Sets the plan, the quotas, the rate limit or the limit of custom fields of an organization. For operators of the installation. */
  set_organization_plan: {
    input: {
      organizationId: string;
      plan?: 'FREE' | 'PREMIUM' | 'ENTERPRISE' | undefined;
      quotas?: Record<string, number | null> | undefined;
      ratePerMinute?: (number | null) | undefined;
      customFieldsMax?: (number | null) | undefined;
    };
    data: {
      organization: {
        id: string;
        name: string;
        timezone: string;
        address: string | null;
        plan: 'FREE' | 'PREMIUM' | 'ENTERPRISE';
        doubleOptIn: boolean;
        createdAt: string;
        updatedAt: string;
        number: number;
        ratePerMinute: number;
        currency: string;
        quotas: Record<string, number | null>;
        cell: string | null;
      };
      /** null when customFieldsMax was omitted */
      customFields: {
        limit: number;
        used: number;
      } | null;
    };
  };
  /** Lists the plans with their calls a minute and their quotas. For operators of the installation. */
  list_plans: {
    input: Record<string, never>;
    data: {
      plans: {
        plan: 'FREE' | 'PREMIUM' | 'ENTERPRISE';
        ratePerMinute: number;
        quotas: Record<string, number | null>;
      }[];
    };
  };
  /** Sets the quotas of a plan. For operators of the installation. */
  set_plan_quotas: {
    input: {
      plan: 'FREE' | 'PREMIUM' | 'ENTERPRISE';
      quotas: Record<string, number | null>;
    };
    data: {
      plan: {
        plan: 'FREE' | 'PREMIUM' | 'ENTERPRISE';
        ratePerMinute: number;
        quotas: Record<string, number | null>;
      };
    };
  };
}
