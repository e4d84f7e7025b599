//! Which fields the specification requires. The build script reads this file too: what it generates asks the same.

use prost_reflect::{ExtensionDescriptor, FieldDescriptor};

/// Whether a field bears the mark (`google.api.field_behavior`) that it is required, and an empty value counts as missing.
pub(crate) fn is_required(mark: &ExtensionDescriptor, field: &FieldDescriptor) -> bool {
    // There may be no task, and no page after this one.
    let excepted = ["lf.a2a.v1.ListTasksResponse.tasks", "lf.a2a.v1.ListTasksResponse.next_page_token"];
    let options = field.options();
    let marks = options.get_extension(mark);
    let marked = marks.as_list().is_some_and(|marks| marks.iter().any(|mark| mark.as_enum_number() == Some(2)));
    marked && !excepted.contains(&field.full_name())
}
