import { PublicUrl } from './values.ts';

/** Settings of Slack. */
export const SLACK_VARIABLES = {
  SVC_SLACK_API_URL: {
    default: 'https://slack.com/api',
    schema: PublicUrl,
    meaning: "Slack's Web API",
  },
  SVC_SLACK_FILES_URL: {
    default: 'https://files.slack.com',
    schema: PublicUrl,
    meaning:
      'Host to which files for Slack are uploaded and from which they are downloaded; no other host is used',
  },
} as const;
