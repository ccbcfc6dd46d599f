/** Programs and options that delete files, as words anywhere in a command line. */
const DELETES = [
	/(?:^|[\s;&|(){}`"'$/\\=])(?:rm|rmdir|unlink|shred|srm|trash|del|erase|rd|remove-item|rimraf|truncate)(?=$|[\s;&|(){}`"'])/i,
	/(?:^|[\s;&|(){}`"'])git\s(?:[^;&|\n]*\s)?(?:clean|rm|reset|restore|checkout|switch|stash)(?=$|[\s;&|)}`"'])/,
	/(?:^|\s)(?:-delete|--delete(?:-\w+)*|--remove-source-files)(?=$|[\s;&|)}`"'=])/,
	/\b(?:rmtree|rmSync|rmdirSync|unlinkSync|removedirs|os\.remove|remove_file|remove_dir_all)\b/,
];

/** Whether a command line may delete files. It may say yes too often; a successful deletion must not be folded away. */
export function mayDelete(command: string): boolean {
	return DELETES.some((pattern) => pattern.test(command));
}
