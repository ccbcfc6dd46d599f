/** What one case said, as written to the file that `VITRINE_TEST_REPORT` names. */
export interface CaseResult {
	readonly title: string;
	/** Absent when it passed. */
	readonly problem?: string;
}
