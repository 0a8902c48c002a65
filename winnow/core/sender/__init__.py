"""A sending domain's own records (MX, SPF, DKIM, DMARC): what is set, what is wrong, the mend."""
